// Objects as the API server gives them, whole: for -o json and yaml, and for the support bundle.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::plugin {

using Json = boost::json::value;

// Empty when it is no JSON.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);
[[nodiscard]] std::string compact_json(const Json& value);
// Indented by two, members in their order, with a newline at the end.
[[nodiscard]] std::string json_text(const Json& value);
// Block style. A text that another reader could take for something else than a string is quoted.
[[nodiscard]] std::string yaml_text(const Json& value);
// The member of that name; null when there is none.
[[nodiscard]] const Json& member(const Json& value, std::string_view name);
// A text below `path`, empty when there is none: text_at(pod, {"metadata", "name"}).
[[nodiscard]] std::string text_at(const Json& value, std::initializer_list<std::string_view> path);

}  // namespace reprise::plugin
