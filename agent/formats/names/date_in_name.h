// A date with a time of day in a name: "checkpoint_2026-11-28_11-33-50.888078", "ckpt-20261128-113350". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reprise::agent {

// The digits of year, month, day, hour, minute, second and of hundredths of it as one number, which grows with time:
// 2026112811335088. Nothing: there is no date with a time.
[[nodiscard]] std::optional<std::int64_t> date_in_name(std::string_view name);

}  // namespace reprise::agent
