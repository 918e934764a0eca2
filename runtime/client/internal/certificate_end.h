// When a certificate ends.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::runtime::internal {

// The end of the first certificate in the text; nothing when there is none.
[[nodiscard]] std::optional<WallTime> certificate_end(std::string_view pem);

}  // namespace reprise::runtime::internal
