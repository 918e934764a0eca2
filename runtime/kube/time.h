// API times: RFC 3339 in UTC on the wire, microseconds in memory (metav1.MicroTime's grain).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::kube {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

// A length that somebody else wrote, at most a hundred years either way: no sum of it and a time that has a notation
// overflows.
[[nodiscard]] constexpr std::chrono::seconds bounded_seconds(std::int64_t count) {
  constexpr std::int64_t kCentury = 3'155'760'000;
  return std::chrono::seconds(std::clamp(count, -kCentury, kCentury));
}

// Reads metav1.Time and metav1.MicroTime: "2026-11-21T09:00:00Z", "...T09:00:00.123456Z", numeric offsets. Empty when
// the text is not such a time.
[[nodiscard]] std::optional<Time> parse_time(std::string_view text);
// metav1.Time: whole seconds, "2026-11-21T09:00:00Z".
[[nodiscard]] std::string format_time(Time time);
// metav1.MicroTime: "2026-11-21T09:00:00.123456Z".
[[nodiscard]] std::string format_micro_time(Time time);

}  // namespace reprise::kube
