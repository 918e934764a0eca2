// Pools with a limit of their cost per hour.
//
// Seeds from kFirstSeedWithPoolLimit to kLastSeedWithPoolLimit alone have one: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithPoolLimit = 5'201, kLastSeedWithPoolLimit = 5'299;

// The limit pays for the largest gang on demand, so that every job can end.
void draw_pool_limit(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
