#include "api/testing/stored_object.h"

#include <json/json.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "runtime/base/json_tree.h"

namespace reprise::api::testing {
namespace {

Json::Value parsed(std::string_view text) {
  Json::Value tree;
  std::string errors;
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  if (!reader->parse(text.data(), text.data() + text.size(), &tree, &errors)) throw std::invalid_argument(errors);
  return tree;
}

// As Go writes a resource.Quantity and a metav1.Duration when a controller updates the object.
std::string as_quantity(std::int64_t value) {
  std::string_view suffix;
  for (const std::string_view next : {"k", "M", "G"}) {
    if (value == 0 || value % 1000 != 0) break;
    value /= 1000;
    suffix = next;
  }
  return std::to_string(value) + std::string(suffix);
}
std::string as_duration(std::int64_t minutes) {
  return (minutes >= 60 ? std::to_string(minutes / 60) + "h" : "") + std::to_string(minutes % 60) + "m0s";
}

void rewrite_quantities(Json::Value& map) {
  if (!map.isObject()) return;
  for (const std::string& key : map.getMemberNames()) {
    const std::string text = map[key].asString();
    if (text.find_first_not_of("0123456789") == std::string::npos) map[key] = as_quantity(std::stoll(text));
  }
}

void rewrite_duration(Json::Value& budget) {
  if (!budget.isMember("duration")) return;
  int hours = 0, minutes = 0;
  if (std::sscanf(budget["duration"].asCString(), "%dh%dm", &hours, &minutes) != 2)
    throw std::invalid_argument("duration " + budget["duration"].asString());
  budget["duration"] = as_duration(hours * 60 + minutes);
}

void drop_nulls(Json::Value& value) {
  if (!value.isObject()) return;
  for (const std::string& key : value.getMemberNames()) {
    if (value[key].isNull())
      value.removeMember(key);
    else
      drop_nulls(value[key]);
  }
}

void merge(Json::Value& target, const Json::Value& patch) {
  if (!patch.isObject()) {
    target = patch;
    return;
  }
  if (!target.isObject()) target = Json::Value(Json::objectValue);
  for (const std::string& key : patch.getMemberNames()) {
    if (patch[key].isNull())
      target.removeMember(key);
    else
      merge(target[key], patch[key]);
  }
}

}  // namespace

std::string stored_object(std::string_view sent, LastWriter last) {
  Json::Value tree = parsed(sent);
  drop_nulls(tree);
  if (last == LastWriter::GoController) {
    rewrite_quantities(tree["spec"]["limits"]);
    rewrite_quantities(tree["spec"]["capacity"]);
    for (Json::Value& budget : tree["spec"]["disruption"]["budgets"]) rewrite_duration(budget);
  }
  tree["metadata"]["resourceVersion"] = "7";
  return runtime::compact_json(tree);
}

std::string merge_patched(std::string_view object, std::string_view patch) {
  Json::Value tree = parsed(object);
  merge(tree, parsed(patch));
  return runtime::compact_json(tree);
}

}  // namespace reprise::api::testing
