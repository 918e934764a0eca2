// Nodes that are not as their NodePool wants them any more, by Karpenter's condition Drifted, are given back one after
// the other, so that Karpenter makes others. Karpenter itself would end their trainers at once, whatever they ask for,
// since NodeClaims have a terminationGracePeriod; a budget of none keeps it from that (node_pools.cc).
//
// A template that drifts each node for ever must not cost jobs their progress: a node goes when nobody has used it for
// a moment, or all jobs there have just saved (may_go.h); alone, while all machines and jobs of the pool are at rest
// (rolling_held.h, rolling.h); and no job is moved twice within an hour.
// (docs/decisions/pools/0089-drifted-nodes.md)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/machines/rolling.h"

namespace reprise::controllers::gpupool {

[[nodiscard]] bool has_drifted(const api::NodeClaim& claim);
[[nodiscard]] bool has_any_drifted(const std::vector<std::shared_ptr<const api::NodeClaim>>& claims);

inline constexpr std::string_view kRollingDriftedNode = "RollingDriftedNode";      // an Event for each
inline constexpr std::string_view kWaitingForCheckpoint = "WaitingForCheckpoint";  // an Event when it begins

// Writes plan.status.drift. Only NodeClaims of the pool's own NodePools are deleted. `serves`: the NodePools are as
// they are wanted and ready, so that another node can come. Called when the plan holds all else that is done about
// NodeClaims.
[[nodiscard]] NodesUpToDate plan_drifted_nodes(const Observation& seen, const Settings& settings, bool serves,
                                               Plan& plan);

}  // namespace reprise::controllers::gpupool
