// Nodes of a capacity type that the pool takes only where an earlier one of spec.capacity is not to be had (on demand
// in a drought of spot, say) are given back with spec.fallback.policy ReturnAtCheckpoint, so that Karpenter tries the
// earlier type first again.
//
// Such a node goes when all jobs there have just saved (may_go.h), the same machine is cheaper of the earlier type,
// that type has room within the pool's limits, and trying is worth a changeover: at once where such a machine of that
// type has come since the last try in vain, else by how long it has not been to be had
// (placement/policy/try_spot_again.h). All such nodes of a job go together: one restart, in which all its nodes are
// paid for, serves for all. A node stays when a job with a deadline, a job that asks for a capacity type, or anything
// but a job uses it; Karpenter takes a node that nobody uses. Nodes go as seldom as drifted ones (rolling.h).
// (docs/decisions/pools/0092-fallback.md)
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

inline constexpr std::string_view kReturningToPreferredCapacity = "ReturningToPreferredCapacity";  // an Event for each

// True when there are nodes that the policy is about: then the jobs that use them, and the pods that wait, have to be
// seen.
[[nodiscard]] bool has_fallback_nodes(const api::GpuPool& pool,
                                      const std::vector<std::shared_ptr<const api::NodeClaim>>& claims);

// Writes plan.status.drift. Called where no node is being rolled for drift. `serves`: as in drifted_nodes.h.
void plan_fallback_nodes(const Observation& seen, const Settings& settings, bool serves, Plan& plan);

}  // namespace reprise::controllers::gpupool
