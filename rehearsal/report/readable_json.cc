#include "rehearsal/report/readable_json.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

namespace reprise::rehearsal {
namespace {

namespace json = boost::json;

std::string compact(const json::value& value) {
  if (const double* number = value.if_double()) return std::isfinite(*number) ? fmt::format("{}", *number) : "null";
  std::string out;
  if (const json::array* list = value.if_array()) {
    for (const json::value& one : *list) out += (out.empty() ? "" : ", ") + compact(one);
    return "[" + out + "]";
  }
  if (const json::object* object = value.if_object()) {
    for (const auto& [key, one] : *object)
      out += (out.empty() ? "" : ", ") + json::serialize(json::value(key)) + ": " + compact(one);
    return "{" + out + "}";
  }
  return json::serialize(value);
}

std::string lines(const json::array& list, const std::string& indent) {
  if (list.empty()) return "[]";
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "\n  " : ",\n  ") + indent + compact(list[i]);
  return out + "\n" + indent + "]";
}

std::string lines(const json::object& whole) {
  std::string out = "{\n";
  for (auto member = whole.begin(); member != whole.end(); ++member) {
    out += "  " + json::serialize(json::value(member->key())) + ": ";
    const json::array* list = member->value().if_array();
    out += list == nullptr ? compact(member->value()) : lines(*list, "  ");
    out += member + 1 == whole.end() ? "\n" : ",\n";
  }
  return out + "}";
}

}  // namespace

std::string readable_json(const json::value& value) {
  const json::object* whole = value.if_object();
  const json::array* list = value.if_array();
  return (whole != nullptr ? lines(*whole) : list != nullptr ? lines(*list, "") : compact(value)) + "\n";
}

}  // namespace reprise::rehearsal
