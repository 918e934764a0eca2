// Jobs on block volumes whose disk writes slowly: a save is complete by its names long before its bytes are there, and
// a machine that is lost meanwhile leaves the names. Some disks refuse a write, and say so once.
//
// Seeds from kFirstSeedWithSlowDisks to kLastSeedWithSlowDisks alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithSlowDisks = 6'201, kLastSeedWithSlowDisks = 6'299;

// Call it after all other draws about how often trainers save.
void draw_slow_disks(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
