// Jobs with a limit of cost, with a point in time to be complete by, and that keep pods which failed.
//
// Seeds from kFirstSeedWithLimits to kLastSeedWithLimits alone have them: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithLimits = 5'101, kLastSeedWithLimits = 5'199;

[[nodiscard]] constexpr bool has_limits(std::uint64_t seed) {
  return seed >= kFirstSeedWithLimits && seed <= kLastSeedWithLimits;
}

// Call it after all other draws about how long a job takes.
void draw_job_limits(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
