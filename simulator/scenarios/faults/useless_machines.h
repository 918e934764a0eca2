// Machines of a pool that never become useful, one after the other: a wrong image, a driver that does not load.
//
// Seeds from kFirstSeedWithUselessMachines to kLastSeedWithUselessMachines alone have such: all others keep their
// scenarios.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "simulator/actors/actors.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithUselessMachines = 6'301, kLastSeedWithUselessMachines = 6'399;
// From this seed on the machines become ready, and no pod can be placed there.
inline constexpr std::uint64_t kFirstSeedWithTaintedMachines = 6'371;

// Draws hours of useless machines, on spot alone or on all that the cloud launches; jobs come meanwhile.
void draw_useless_machines(std::uint64_t seed, Workload& workload);

// Ends at the latest when the faults are over.
void begin_useless_machines(Actors& actors, const Workload& workload);
void mend_machines(Actors& actors);

// Retries the pool in a person's place when the last machines were of no use and none starts now. False: nothing needs
// a person.
bool retry_pools(Actors& actors);

}  // namespace reprise::simulator
