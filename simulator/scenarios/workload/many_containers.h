// Pods with so many sidecars that a kubelet leaves only the beginning of a rank's record.
//
// Seeds from kFirstSeedWithManyContainers to kLastSeedWithManyContainers alone have such: all others keep their
// scenarios.
#pragma once

#include <cstdint>

#include "simulator/base/json.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithManyContainers = 5'801, kLastSeedWithManyContainers = 5'899;

void draw_many_containers(std::uint64_t seed, Workload& workload);

// The sidecars of a pod's template.
[[nodiscard]] JsonArray sidecars_of(const JobPlan& job);

}  // namespace reprise::simulator
