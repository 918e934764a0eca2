#include "simulator/api_server/store/metadata.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "runtime/kube/time.h"
#include "simulator/api_server/names.h"

namespace reprise::simulator {
namespace {

std::string_view view(const boost::json::string& text) {
  return {text.data(), text.size()};
}

std::string in_quotes(std::string_view text) {
  return boost::json::serialize(Value(text));
}

std::uint64_t draw(runtime::Random& random, std::uint64_t below) {
  return std::min(below - 1, static_cast<std::uint64_t>(random.uniform() * static_cast<double>(below)));
}

void drop_repeated_owners(JsonObject& metadata) {
  Value* owners = metadata.if_contains("ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  JsonArray once;
  for (const Value& owner : owners->get_array()) {
    if (std::ranges::find(once, owner) == once.end()) once.push_back(owner);
  }
  if (once.size() != owners->get_array().size()) *owners = std::move(once);
}

std::string wrong_name(const ResourceType& type, std::string_view name) {
  if (type.group.empty() && type.plural == "services") return wrong_service_name(name);
  if (type.group.empty() && type.plural == "namespaces") return wrong_dns_label(name);
  return wrong_subdomain(name);
}

void check_labels(const Value& object, std::vector<Cause>& wrong) {
  for (const auto& [key, value] : simulator::object(object, {"metadata", "labels"})) {
    if (auto why = wrong_qualified_name(key); !why.empty())
      wrong.push_back(invalid_value("metadata.labels", in_quotes(key), why));
    const auto* label = value.if_string();
    if (label == nullptr) continue;
    if (auto why = wrong_label_value(view(*label)); !why.empty())
      wrong.push_back(invalid_value("metadata.labels", in_quotes(view(*label)), why));
  }
}

void check_annotations(const Value& object, std::vector<Cause>& wrong) {
  constexpr std::size_t limit = 256UL * 1024UL;
  std::size_t size = 0;
  for (const auto& [key, value] : simulator::object(object, {"metadata", "annotations"})) {
    if (auto why = wrong_qualified_name(key); !why.empty())
      wrong.push_back(invalid_value("metadata.annotations", in_quotes(key), why));
    size += key.size() + (value.is_string() ? value.get_string().size() : 0);
  }
  if (size > limit) {
    wrong.push_back({"FieldValueTooLong", "Too long: may not be more than " + std::to_string(limit) + " bytes",
                     "metadata.annotations"});
  }
}

void check_finalizers(const Value& object, std::vector<Cause>& wrong) {
  for (const Value& finalizer : array(object, {"metadata", "finalizers"})) {
    const std::string_view name = text(finalizer, {});
    if (auto why = wrong_qualified_name(name); !why.empty())
      wrong.push_back(invalid_value("metadata.finalizers", in_quotes(name), why));
  }
}

void check_owners(const Value& object, std::vector<Cause>& wrong) {
  const JsonArray& owners = array(object, {"metadata", "ownerReferences"});
  const Value* controller = nullptr;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (!text(owners[i], {field}).empty()) continue;
      const std::string where = std::string("metadata.ownerReferences.") + field;
      wrong.push_back(invalid_value(
          where, "\"\"", std::string_view(field) == "apiVersion" ? "version must not be empty" : "must not be empty"));
    }
    if (!flag(owners[i], {"controller"})) continue;
    if (controller != nullptr) {
      wrong.push_back(invalid_value(
          "metadata.ownerReferences", boost::json::serialize(owners),
          "Only one reference can have Controller set to true. Found \"true\" in references for " +
              std::string(text(*controller, {"kind"})) + "/" + std::string(text(*controller, {"name"})) + " and " +
              std::string(text(owners[i], {"kind"})) + "/" + std::string(text(owners[i], {"name"}))));
    }
    controller = &owners[i];
  }
}

}  // namespace

std::string name_suffix(runtime::Random& random) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += letters[draw(random, letters.size())];
  return suffix;
}

std::string new_uid(runtime::Random& random) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string uid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  // Takes six digits of each draw: a double holds more, and draws are expensive.
  std::uint64_t drawn = 0;
  int left = 0;
  for (char& c : uid) {
    if (c != 'x' && c != 'y') continue;
    if (left-- == 0) {
      drawn = draw(random, 1U << 24U);
      left = 5;
    }
    const std::uint64_t digit = drawn & 15U;
    drawn >>= 4U;
    c = digits[c == 'y' ? (digit & 3U) | 8U : digit];
  }
  return uid;
}

void tidy_metadata(Value& object) {
  Value* metadata = find(object, {"metadata"});
  if (metadata == nullptr || !metadata->is_object()) {
    if (object.is_object()) object.get_object()["metadata"].emplace_object();
    return;
  }
  JsonObject& members = metadata->get_object();
  const auto says_nothing = [](const Value& value) {
    return value.is_null() || (value.is_array() && value.get_array().empty()) ||
           (value.is_object() && value.get_object().empty()) || (value.is_string() && value.get_string().empty());
  };
  for (auto at = members.begin(); at != members.end();) {
    at = says_nothing(at->value()) ? members.erase(at) : at + 1;
  }
  drop_repeated_owners(members);
}

void stamp_new_metadata(Value& object, const ResourceType& type, runtime::WallTime now, runtime::Random& random) {
  JsonObject& metadata = object.get_object()["metadata"].get_object();
  for (const char* server_owned : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion"}) {
    metadata.erase(server_owned);
  }
  metadata["uid"] = new_uid(random);
  metadata["creationTimestamp"] = kube::format_time(now);
  if (type.generation) {
    metadata["generation"] = 1;
  } else {
    metadata.erase("generation");
  }
}

void carry_over_metadata(const Value& before, Value& after) {
  JsonObject& metadata = after.get_object()["metadata"].get_object();
  const JsonObject& old = object(before, {"metadata"});
  const auto keep = [&](std::string_view field) {
    if (const Value* value = old.if_contains(field)) {
      metadata[field] = *value;
    } else {
      metadata.erase(field);
    }
  };
  for (const char* field : {"name", "namespace", "uid"}) {
    if (!metadata.contains(field)) keep(field);
  }
  for (const char* field : {"creationTimestamp", "generation", "generateName", "selfLink"}) keep(field);
  // A deletion cannot be taken back. An update that begins one is rejected.
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (old.contains(field)) keep(field);
  }
  metadata["resourceVersion"] = old.at("resourceVersion");
}

std::vector<Cause> wrong_metadata(const ResourceType& type, const Value& object) {
  std::vector<Cause> wrong;
  const std::string_view name = name_of(object);
  if (name.empty()) {
    wrong.push_back(required("metadata.name", "name or generateName is required"));
  } else if (auto why = wrong_name(type, name); !why.empty()) {
    wrong.push_back(invalid_value("metadata.name", in_quotes(name), why));
  }
  check_owners(object, wrong);
  check_labels(object, wrong);
  check_annotations(object, wrong);
  check_finalizers(object, wrong);
  return wrong;
}

std::vector<Cause> wrong_metadata_change(const Value& before, const Value& after) {
  std::vector<Cause> wrong;
  for (const char* field : {"name", "namespace", "uid", "deletionTimestamp"}) {
    const std::string_view now = text(after, {"metadata", field});
    if (now != text(before, {"metadata", field}))
      wrong.push_back(immutable(std::string("metadata.") + field, in_quotes(now)));
  }
  if (being_deleted(before)) {
    const JsonArray& old = array(before, {"metadata", "finalizers"});
    std::string added;
    for (const Value& finalizer : array(after, {"metadata", "finalizers"})) {
      if (std::ranges::find(old, finalizer) != old.end()) continue;
      if (!added.empty()) added += ", ";
      added += in_quotes(text(finalizer, {}));
    }
    if (!added.empty()) {
      wrong.push_back(forbidden_field("metadata.finalizers",
                                      "no new finalizers can be added if the object is being deleted, found new "
                                      "finalizers []string{" +
                                          added + "}"));
    }
  }
  return wrong;
}

bool has_finalizers(const Value& object) {
  return !array(object, {"metadata", "finalizers"}).empty();
}

}  // namespace reprise::simulator
