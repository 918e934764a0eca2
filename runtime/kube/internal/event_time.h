// When an Event was seen last. Each reporter stamps it with a clock of its own, so only the time from its first to its
// last stamp counts; it is added to the API server's stamp of the creation.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "runtime/kube/time.h"

namespace reprise::kube::internal {

// `first`, `last`: as far as the old and the new Events API say them.
[[nodiscard]] inline Time last_seen(Time creation, std::initializer_list<std::optional<Time>> first,
                                    std::initializer_list<std::optional<Time>> last) {
  std::optional<Time> earliest, newest;
  for (const auto& time : first) {
    if (time && (!earliest || *time < *earliest)) earliest = time;
  }
  for (const auto& time : last) {
    if (time && (!newest || *time > *newest)) newest = time;
  }
  if (!newest) return creation;
  if (!earliest) return std::max(creation, *newest);
  return creation + std::max(*newest - *earliest, Time::duration::zero());
}

}  // namespace reprise::kube::internal
