// spec.capacity[].maxGpus, kept by the limits of the NodePools whatever the machines offer that are there. Pure.
//
// Karpenter counts a resource and no GPUs: slices, partitions, whole GPUs. A machine that offers another number of it
// than its GPUs would have by the pool's sharing of today (the sharing has changed since it came; it offers nothing
// yet, or no more) counts all the same for as many GPUs as it has.
#pragma once

#include <vector>

#include "controllers/gpupool/observation.h"

namespace reprise::controllers::gpupool {

// `node_pools`: the pool's, in the order of its spec.capacity, with the limits that machines of today's sharing keep.
void limit_gpus(const Observation& seen, std::vector<api::NodePool>& node_pools);

}  // namespace reprise::controllers::gpupool
