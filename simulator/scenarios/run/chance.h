// Draws of scenarios from a stream: one number each.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/base/random.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

// Draws one of them; T{} without a draw when there is none.
template <class T>
T pick(runtime::Random& random, const std::vector<T>& of) {
  return of.empty() ? T{} : of[static_cast<std::size_t>(random.uniform() * static_cast<double>(of.size()))];
}

// Draws a number of `unit`.
inline Duration between(runtime::Random& random, double low, double high, Duration unit) {
  return Duration{
      static_cast<Duration::rep>((low + (high - low) * random.uniform()) * static_cast<double>(unit.count()))};
}

}  // namespace reprise::simulator
