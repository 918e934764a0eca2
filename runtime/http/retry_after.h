// How long a server asks us to wait, as far as it is believed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::runtime {

// Twice what an API server asks for at most (32 s, priority and fairness). A longer wait comes from something in
// between, which says "in an hour" on a page for people: a cache that believed it would be blind for an hour.
constexpr Duration longest_retry_after{60'000};

[[nodiscard]] constexpr Duration retry_after_of(std::int64_t seconds) {
  constexpr std::int64_t most = std::chrono::duration_cast<std::chrono::seconds>(longest_retry_after).count();
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, most));
}

// The value of the header. Empty: a date, or nonsense; no date is believed, since clocks differ.
[[nodiscard]] std::optional<Duration> parse_retry_after(std::string_view value);

}  // namespace reprise::runtime
