// A date in a name: "checkpoint_2026-11-28_11-33-50.888078", "ckpt-20261128-113350", "ckpt-2026-11-28". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reprise::agent {

// The digits of year, month, day, hour, minute, second and of hundredths of it as one number, which grows with time:
// 2026112811335088. Where the name has no time of day, or none with seconds, the rest is zeros; then the date has to be
// cut up ("2026-11-28": eight digits alone may be a step) and the only number but those of parts and versions.
// Empty: there is no date.
[[nodiscard]] std::optional<std::int64_t> date_in_name(std::string_view name);

// "20261124": eight digits that are a day of the calendar, of the years 1990 to 2099. Steps are round numbers as a
// rule, and those are none: no month and no day has the number 0 ("20500000").
[[nodiscard]] bool is_day(std::string_view digits);

}  // namespace reprise::agent
