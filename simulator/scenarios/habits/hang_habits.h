// Trainers that hang, and jobs that have their agents end them (spec.progressTimeoutSeconds).
//
// Seeds from kFirstSeedWithHangs to kLastSeedWithHangs alone have them: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithHangs = 5'001, kLastSeedWithHangs = 5'099;

[[nodiscard]] constexpr bool has_hangs(std::uint64_t seed) {
  return seed >= kFirstSeedWithHangs && seed <= kLastSeedWithHangs;
}

// Call it after all other draws about how long a job's trainer saves and ends.
void draw_hangs(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
