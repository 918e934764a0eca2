// Objects of the embedded cluster are JSON values; these are short ways to read and build them.
#pragma once

#include <boost/json/value.hpp>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace reprise::simulator {

using Value = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;
// A version of an object: never changes once it is stored.
using ObjectPtr = std::shared_ptr<const Value>;

using Path = std::initializer_list<std::string_view>;

// The value at the path; nullptr when a step is missing or no object.
[[nodiscard]] const Value* find(const Value& value, Path path);
[[nodiscard]] Value* find(Value& value, Path path);
// Empty when missing or no string.
[[nodiscard]] std::string_view text(const Value& value, Path path);
// `otherwise` when missing or no number.
[[nodiscard]] std::int64_t number(const Value& value, Path path, std::int64_t otherwise = 0);
[[nodiscard]] bool flag(const Value& value, Path path);
// The array there; an empty one when missing.
[[nodiscard]] const JsonArray& array(const Value& value, Path path);
// The object there; an empty one when missing.
[[nodiscard]] const JsonObject& object(const Value& value, Path path);
// Makes the objects on the way. The last step is the member that is set.
void set(Value& value, Path path, Value to);
template <class Text>
requires std::convertible_to<const Text&, std::string_view>
void set(Value& value, Path path, const Text& to) {
  const std::string_view view = to;
  set(value, path, Value(boost::json::string_view(view.data(), view.size())));
}
void unset(Value& value, Path path);

[[nodiscard]] inline std::string_view name_of(const Value& object) {
  return text(object, {"metadata", "name"});
}
[[nodiscard]] inline std::string_view namespace_of(const Value& object) {
  return text(object, {"metadata", "namespace"});
}
[[nodiscard]] inline std::string_view uid_of(const Value& object) {
  return text(object, {"metadata", "uid"});
}
[[nodiscard]] inline bool being_deleted(const Value& object) {
  return find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

}  // namespace reprise::simulator
