// Amounts of resources as Kubernetes writes them; private to this folder.
#pragma once

#include <string_view>

namespace reprise::plugin::why {

// "4" is 4, "100m" is 0.1, "16Gi" is 16 * 2^30, "1e3" is 1000. 0 when the text is no quantity.
[[nodiscard]] double parse_quantity(std::string_view text);

}  // namespace reprise::plugin::why
