// Volumes that begin with hundreds of directories of former runs, some more than an agent looks into at once. The
// trainer deletes one at each of its saves, so that others come into view, which this job has not made.
//
// Seeds from kFirstSeedWithCrowdedRoots to kLastSeedWithCrowdedRoots alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithCrowdedRoots = 6'001, kLastSeedWithCrowdedRoots = 6'099;

void draw_crowded_roots(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
