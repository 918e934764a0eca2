// Says what keeps a pool from giving back nodes without need. Pure.
#pragma once

#include <chrono>
#include <string>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

// Obstacles that stand whatever jobs do: somebody does not want it, or it is not seen who uses a node. Empty: none.
[[nodiscard]] std::string why_nothing_is_rolled(const Observation& seen, const Settings& settings);

// Obstacles of the moment: another node might not come, or the pool is not at rest: a machine comes or goes, a broken
// one goes first, a pod waits for a machine, a job is not training yet or not again. Empty: none. `is_used`: the node
// is one of a job's, whose place another that waits for its first machine might take. Reads what the plan says of
// broken nodes.
[[nodiscard]] std::string why_rolling_is_held(const Observation& seen, bool serves, bool is_used, Plan& plan);

// A pod that waits longer asks for what no machine has, or for what the cloud has no machine for. A job that begins is
// bound to machines that are there within moments.
inline constexpr std::chrono::hours kPodsAreWaitedFor(1);
inline constexpr std::chrono::minutes kJobsAreWaitedFor(5);

}  // namespace reprise::controllers::gpupool
