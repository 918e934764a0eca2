// RFC 3339 in UTC, whole seconds, as metav1.Time has it: "2026-11-21T09:00:00Z".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::agent {

[[nodiscard]] std::string time_text(runtime::WallTime time);
[[nodiscard]] std::optional<runtime::WallTime> parse_time_text(std::string_view text);

}  // namespace reprise::agent
