// spec.capacity[].maxGpus, kept by the limits of the NodePools whatever the machines offer that are there. Pure.
//
// Karpenter counts a resource and no GPUs: slices, partitions, whole GPUs. A machine that came by another sharing than
// the pool's of today, or that is up and offers nothing of it, counts all the same for as many GPUs as it has.
// Karpenter's count is believed for a machine of today's sharing that is not up yet: the limit stays as it is while
// machines come (docs/decisions/attempts/0099-held-capacity.md). Where slices are counted a second limit counts nodes:
// a provider that does not know of NodeOverlays when it launches a machine, as kwok's, says that it has as many slices
// as it was asked for, and a slice each would let one more machine come for each pod (decision 0116).
#pragma once

#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// Karpenter's name, in limits, for the number of nodes of a NodePool.
inline constexpr std::string_view kNodesLimit = "nodes";

// `node_pools`: the pool's, in the order of its spec.capacity, with the limits that machines of today's sharing keep.
void limit_gpus(const Observation& seen, std::vector<api::NodePool>& node_pools);

}  // namespace reprise::controllers::gpupool
