// Evaluates "[ ... ]", "[[ ... ]]", "(( ... ))" and the patterns of a case for known values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps::lint::shell {

// An unknown term holds no text; the answer is unknown, too, unless every value of the term gives the same.
using Terms = std::vector<std::optional<std::string>>;

// Evaluates the words between the brackets, given without quotes.
[[nodiscard]] std::optional<bool> condition_of(const Terms& terms);

// "*", "?" and sets in brackets, of which any character is taken for a member.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

using ValueOf = std::function<std::optional<std::string>(std::string_view name)>;
// Evaluates the text between "((" and "))"; empty: a value is not known, or the text is not understood.
[[nodiscard]] std::optional<int> sum_of(std::string_view text, const ValueOf& value_of);

}  // namespace reprise::apps::lint::shell
