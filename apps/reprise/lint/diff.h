// The difference of two texts as `patch` takes it.
#pragma once

#include <string>
#include <string_view>

namespace reprise::apps::lint {

// Empty when they are the same.
[[nodiscard]] std::string unified_diff(std::string_view file, std::string_view before, std::string_view after);

}  // namespace reprise::apps::lint
