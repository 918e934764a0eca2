// Pools that keep GPUs ready.
//
// Seeds from kFirstSeedWithWarmGpus to kLastSeedWithWarmGpus alone have such: all others keep their scenarios.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "simulator/api_server/api_server.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithWarmGpus = 5'301, kLastSeedWithWarmGpus = 5'399;

// From this seed on a schedule wants one more for a while that ends before the faults do, or goes on for a month.
inline constexpr std::uint64_t kFirstSeedWithWarmSchedule = 5'351;

// Stays within the pool's limits: the jobs have to end all the same.
void draw_warm_gpus(std::uint64_t seed, Workload& workload);
// Sets the schedule to its state after the faults, from the beginning.
void end_warm_schedule(Workload& workload);
// spec.warm of the pool.
[[nodiscard]] Value warm_of(const Workload& workload);

// `warm-gpus-are-ready`: when all jobs have ended and all is quiet, as many are held as the pool wants.
void judge_warm_gpus(const ApiServer& api, const Workload& workload,
                     const std::function<void(std::string invariant, std::string what)>& object_to);

}  // namespace reprise::simulator
