// What "[ ... ]", "[[ ... ]]", "(( ... ))" and the patterns of a case say of values that are known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps::lint::shell {

// A term that is not known holds none, and so does the answer unless it is the same with any.
using Terms = std::vector<std::optional<std::string>>;

// Of the words between the brackets, without quotes.
[[nodiscard]] std::optional<bool> condition_of(const Terms& terms);

// "*", "?" and sets in brackets, of which any character is taken for a member.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

using ValueOf = std::function<std::optional<std::string>(std::string_view name)>;
// Of the text between "((" and "))"; nothing: a value is not known, or there is more in it than is understood here.
[[nodiscard]] std::optional<int> sum_of(std::string_view text, const ValueOf& value_of);

}  // namespace reprise::apps::lint::shell
