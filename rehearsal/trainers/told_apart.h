// Says how late each pod of a gang is told to stop. The kubelets of a cluster tell theirs 0.1 to 1 s apart, so a
// rehearsal that told all ranks in one instant would call trainers safe that a cluster breaks. Pure but for the
// randomness.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/base/clock.h"
#include "runtime/base/random.h"

namespace reprise::rehearsal {

inline constexpr std::chrono::seconds kMostApart{1};

// From 0 to kMostApart; 0 for a pod that is alone.
[[nodiscard]] inline runtime::Duration told_after(std::int64_t ranks, runtime::Random& random) {
  if (ranks <= 1) return runtime::Duration{0};
  return std::chrono::duration_cast<runtime::Duration>(random.uniform() * std::chrono::duration<double>(kMostApart));
}

}  // namespace reprise::rehearsal
