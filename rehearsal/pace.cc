#include "rehearsal/pace.h"

#include <algorithm>

namespace reprise::rehearsal {

runtime::Duration own_pace(const OwnTimes& times) {
  constexpr runtime::Duration kLeast{2'000}, kMost{120'000};
  runtime::Duration pace = std::max({kLeast, times.start / 4, times.save * 2});
  for (int i = 0; i < times.in_vain && pace < kMost; ++i) pace *= 2;
  return std::min(pace, kMost);
}

}  // namespace reprise::rehearsal
