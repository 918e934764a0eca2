// The little JSON the agent needs, over Boost.JSON (header-only, so that the binary can be static). Reading never
// throws: a text that is not an object of the right types is "nothing".
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

[[nodiscard]] std::optional<boost::json::object> parse_object(std::string_view text);
// Any value, as Python's json module writes it: numbers may be NaN, Infinity and -Infinity too.
[[nodiscard]] std::optional<boost::json::value> parse_python_json(std::string_view text);
[[nodiscard]] std::optional<boost::json::array> parse_array(std::string_view text);
[[nodiscard]] std::string to_text(const boost::json::object& object);
[[nodiscard]] std::string array_text(const boost::json::array& array);

// The member of that name when it is there and of that type.
[[nodiscard]] std::optional<std::string> text_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::optional<std::int64_t> number_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] const boost::json::object* object_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] const boost::json::array* array_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::optional<bool> flag_of(const boost::json::object& object, std::string_view key);

}  // namespace reprise::agent
