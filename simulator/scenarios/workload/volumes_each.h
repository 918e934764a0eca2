// Gangs in which every rank has a volume of its own (access: PerIndex).
//
// Seeds from kFirstSeedWithVolumesEach to kLastSeedWithVolumesEach alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithVolumesEach = 5'401, kLastSeedWithVolumesEach = 5'499;

// All jobs with a claim of their own become such gangs.
void draw_volumes_each(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
