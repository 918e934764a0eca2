// Nodes whose GPUs a monitor of the hardware calls broken (controllers/common/gpu_health.h): they are named, and with
// spec.health.policy Replace given back, so that Karpenter makes others. Trainers there get the notice and the grace of
// any node that goes, and save; Karpenter's own NodeRepair ends them without either, ten minutes later.
//
// A monitor that is wrong, or a driver that breaks every node alike, must not cost a pool its nodes one after the
// other: no further node is given back while more than a fifth of them (rounded up) are called broken, as NodeRepair
// does, nor after kMostReplacementsPerHour. Each is written to the status first, and its NodeClaim deleted by a later
// pass, which sees that: whoever could not write it down, or decided on an old view of the pool, deletes nothing.
#pragma once

#include <string>
#include <string_view>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

inline constexpr int kMostReplacementsPerHour = 3;

// For the condition NodesHealthy.
struct NodesHealthy {
  std::string_view reason;  // empty: spec.health.policy is Ignore
  std::string message;
  bool is_healthy = true;
  bool needs_person = false;
};

inline constexpr std::string_view kReplacingFaultyNode = "ReplacingFaultyNode";  // an Event for each

// Writes plan.status.health. Only NodeClaims of the pool's own NodePools are deleted, of nodes that had become usable.
// `serves`: jobs can begin on the pool; while they cannot, nodes are only named.
[[nodiscard]] NodesHealthy plan_faulty_nodes(const Observation& seen, bool serves, Plan& plan);

}  // namespace reprise::controllers::gpupool
