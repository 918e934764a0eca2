// Ranks that tell the operator while they train how far they are: jobs whose nodes drift, or were rented on demand for
// want of spot, are moved when they have just saved.
//
// Seeds from kFirstSeedWithReports to kLastSeedWithReports alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithReports = 5'601, kLastSeedWithReports = 5'699;

// Some ranks save seldom, so that a move at another moment costs much.
void draw_reporting_ranks(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
