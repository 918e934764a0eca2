// How long a volume that cannot be read is tried again before a trainer runs.
#pragma once

#include <algorithm>
#include <chrono>

namespace reprise::agent {

struct Patience {
  std::chrono::milliseconds pace;   // between two tries
  std::chrono::milliseconds limit;  // tries that fail after that have failed for good
};

// Patience for ten heartbeat periods, and for a minute at most.
[[nodiscard]] constexpr Patience patience(std::chrono::milliseconds heartbeat_period) {
  const auto pace = std::min(heartbeat_period, std::chrono::milliseconds(6'000));
  return {.pace = pace, .limit = pace * 10};
}

}  // namespace reprise::agent
