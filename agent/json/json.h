// The little JSON the agent needs, over Boost.JSON (header-only, so that the binary can be static). Reading never
// throws: a text that is not an object of the right types is "nothing".
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

[[nodiscard]] std::optional<boost::json::object> parse_object(std::string_view text);
[[nodiscard]] std::string to_text(const boost::json::object& object);

// The member of that name when it is there and of that type.
[[nodiscard]] std::optional<std::string> text_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::optional<std::int64_t> number_of(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::optional<bool> flag_of(const boost::json::object& object, std::string_view key);

}  // namespace reprise::agent
