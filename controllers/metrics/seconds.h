#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/kube/time.h"

namespace reprise::controllers::metrics {

// A difference that is negative because clocks differ is 0.
[[nodiscard]] inline double seconds_between(kube::Time from, kube::Time to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

}  // namespace reprise::controllers::metrics
