// Text as a string of JSON, which YAML takes as well.
#pragma once

#include <string>
#include <string_view>

namespace reprise::controllers::gpupool {

// The text with its quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace reprise::controllers::gpupool
