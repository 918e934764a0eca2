// Jobs whose volumes are too small for all that their trainers save, which delete nothing: their saves fail, and the
// jobs wait until somebody says how many checkpoints stay, or lets the claim grow.
//
// Seeds from kFirstSeedWithSmallVolumes to kLastSeedWithSmallVolumes alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithSmallVolumes = 5'901, kLastSeedWithSmallVolumes = 5'999;

// Call it after all other draws about how often trainers save.
void draw_small_volumes(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
