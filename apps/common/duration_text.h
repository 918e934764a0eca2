// Durations as people type them: 500ms, 30s, 10m, 1.5h; one number and one unit.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::apps {

// To the millisecond; empty when the text is no duration, is negative, or is longer than 30 days.
[[nodiscard]] std::optional<runtime::Duration> parse_duration(std::string_view text);

}  // namespace reprise::apps
