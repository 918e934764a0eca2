// The time that a script trains between two interruptions when no flag sets it.
#pragma once

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

struct OwnTimes {
  runtime::Duration start{0};  // until it showed that it trains
  runtime::Duration save{0};   // its slowest after a notice
  int in_vain = 0;             // interruptions in a row behind which no newer checkpoint was there
};

// Returns a time, by this machine's clock, in which the script gets somewhere between two starts, twice as long each
// time that it did not; at most two minutes.
[[nodiscard]] runtime::Duration own_pace(const OwnTimes& times);

}  // namespace reprise::rehearsal
