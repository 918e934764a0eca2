// Suggests a known word for a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps {

// Letters to change, put in, take out or swap with their neighbour; capitals, '-', '_' and blanks count nothing.
[[nodiscard]] std::size_t letters_apart(std::string_view left, std::string_view right);
// Empty when none is near, or two are as near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace reprise::apps
