#include "agent/core/ends/end_timeouts.h"

#include <algorithm>

namespace reprise::agent {

using std::chrono::milliseconds;

milliseconds output_timeout(const TimeLeft& left) {
  return std::max(left.stop_requested ? left.grace / 4 : left.grace, milliseconds(500));
}

milliseconds last_look_timeout(const TimeLeft& left) {
  return std::max(left.stop_requested ? left.grace / 2 : left.grace, milliseconds(1'000));
}

milliseconds only_look_timeout(const TimeLeft& left) {
  return std::clamp(left.grace / 3, milliseconds(1'000), milliseconds(5'000));
}

milliseconds record_timeout(const TimeLeft& left) {
  const auto longest = left.stop_requested ? left.grace : std::min(left.grace, milliseconds(30'000));
  return std::max(longest, milliseconds(5'000));
}

}  // namespace reprise::agent
