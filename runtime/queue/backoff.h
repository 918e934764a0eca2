// The wait of a key that failed: `first`, doubled with each failure in a row, up to `cap`. Five minutes and not
// client-go's 16: a fault that was mended is noticed while the person who mended it still looks.
#pragma once

#include "runtime/base/clock.h"

namespace reprise::runtime {

struct BackoffPolicy {
  Duration first{5};
  Duration cap{300'000};

  // `failures`: how many there were before this one.
  [[nodiscard]] constexpr Duration delay(int failures) const {
    Duration delay = first;
    for (int i = 0; i < failures && delay < cap; ++i) delay *= 2;
    return delay < cap ? delay : cap;
  }
};

}  // namespace reprise::runtime
