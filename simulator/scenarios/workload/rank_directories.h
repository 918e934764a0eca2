// Ranks that save into directories of their own, each with a marker: rank0/step-60 beside rank1/step-60, or
// step-60-rank0 beside step-60-rank1. One rank's directory is no checkpoint without the others'.
//
// Seeds from kFirstSeedWithRankDirectories to kLastSeedWithRankDirectories alone have such: all others keep their
// scenarios.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithRankDirectories = 6'101, kLastSeedWithRankDirectories = 6'199;

void draw_rank_directories(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
