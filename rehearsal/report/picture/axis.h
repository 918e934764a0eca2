// The ticks of a time axis: round times, few enough that their labels do not touch.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

struct Tick {
  runtime::Duration at{0};
  std::string label;   // "6 h", "15 min", "1:30"
  bool major = false;  // also has its label where there is little room
};

struct Axis {
  std::vector<Tick> ticks;
  std::string unit;  // how the labels are to be read when they do not say it: "min:s", "h:mm"; else empty
};

// At most `most` ticks after the one at 0, of which at most `most_major` are major; all are multiples of one round
// step.
[[nodiscard]] Axis axis_of(runtime::Duration length, int most, int most_major);

}  // namespace reprise::rehearsal
