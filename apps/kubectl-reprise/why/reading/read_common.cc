#include "apps/kubectl-reprise/why/reading/read_common.h"

#include "apps/kubectl-reprise/why/reading/read_objects.h"

namespace reprise::plugin::why {

const boost::json::value* find_at(const boost::json::value& object, Path path) {
  const boost::json::value* at = &object;
  for (const std::string_view step : path) {
    const boost::json::object* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string string_at(const boost::json::value& object, Path path) {
  const boost::json::value* at = find_at(object, path);
  const boost::json::string* text = at == nullptr ? nullptr : at->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

std::int64_t number_at(const boost::json::value& object, Path path, std::int64_t otherwise) {
  const boost::json::value* at = find_at(object, path);
  const std::int64_t* number = at == nullptr ? nullptr : at->if_int64();
  return number == nullptr ? otherwise : *number;
}

bool flag_at(const boost::json::value& object, Path path) {
  const boost::json::value* at = find_at(object, path);
  const bool* flag = at == nullptr ? nullptr : at->if_bool();
  return flag != nullptr && *flag;
}

const boost::json::array& items_at(const boost::json::value& object, Path path) {
  static const boost::json::array none;
  const boost::json::value* at = find_at(object, path);
  const boost::json::array* items = at == nullptr ? nullptr : at->if_array();
  return items == nullptr ? none : *items;
}

std::optional<kube::Time> time_at(const boost::json::value& object, Path path) {
  return kube::parse_time(string_at(object, path));
}

Texts texts_at(const boost::json::value& object, Path path) {
  Texts texts;
  const boost::json::value* at = find_at(object, path);
  const boost::json::object* members = at == nullptr ? nullptr : at->if_object();
  if (members == nullptr) return texts;
  for (const auto& [key, value] : *members) {
    if (value.is_string()) texts.emplace(key, value.as_string());
    if (value.is_int64()) texts.emplace(key, std::to_string(value.as_int64()));
  }
  return texts;
}

std::vector<Taint> read_taints(const boost::json::value& object, Path path) {
  std::vector<Taint> taints;
  for (const auto& taint : items_at(object, path)) {
    taints.push_back({.key = string_at(taint, {"key"}),
                      .value = string_at(taint, {"value"}),
                      .effect = string_at(taint, {"effect"})});
  }
  return taints;
}

Meta read_meta(const boost::json::value& object) {
  return {.name = string_at(object, {"metadata", "name"}),
          .namespace_ = string_at(object, {"metadata", "namespace"}),
          .uid = string_at(object, {"metadata", "uid"}),
          .generation = number_at(object, {"metadata", "generation"}),
          .created = time_at(object, {"metadata", "creationTimestamp"}).value_or(kube::Time()),
          .deleted = time_at(object, {"metadata", "deletionTimestamp"}),
          .labels = texts_at(object, {"metadata", "labels"}),
          .annotations = texts_at(object, {"metadata", "annotations"})};
}

Conditions read_conditions(const boost::json::value& object) {
  Conditions conditions;
  for (const auto& entry : items_at(object, {"status", "conditions"})) {
    conditions.push_back({.type = string_at(entry, {"type"}),
                          .status = string_at(entry, {"status"}),
                          .reason = string_at(entry, {"reason"}),
                          .message = string_at(entry, {"message"}),
                          .since = time_at(entry, {"lastTransitionTime"})});
  }
  return conditions;
}

}  // namespace reprise::plugin::why
