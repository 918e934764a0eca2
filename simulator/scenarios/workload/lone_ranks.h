// Jobs of one rank on shares, on machines that no pool ends, which stand still, or whose share hangs, until the next
// attempt runs (held_machines.h): only the fence ends the trainers there. The ranks of a gang end when they miss a
// peer, whatever their agents see, and machines of a pool are ended for the sake of its jobs.
//
// Seeds from kFirstSeedWithLoneRanks to kLastSeedWithLoneRanks alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/faults/fault_mix.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithLoneRanks = 6'401, kLastSeedWithLoneRanks = 6'499;

// Call it after all other draws about how many ranks a job has, and where its volume is.
void draw_lone_ranks(std::uint64_t seed, Workload& workload, FaultMix& mix);

}  // namespace reprise::simulator
