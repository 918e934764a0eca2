// Drops a job's demands on its nodes that the nodes of a rehearsal do not meet: it would wait for ever.
#pragma once

#include <vector>

#include "rehearsal/plan/manifests.h"
#include "simulator/actors/karpenter/instance_types.h"

namespace reprise::rehearsal {

constexpr std::int64_t kMostGpus = 8;  // per node

// GPUs of one rank beyond the most that a node has are lowered to it.
void lower_gpus(RehearsedJob& job);
// Takes out of the job's template the constraints on where its pods may run (the pool's own labels stay), every
// resource but GPUs, CPU and memory, and CPU and memory where none of the nodes has so much besides the GPUs. Adds
// notes that say so.
void drop_node_constraints(RehearsedJob& job, const std::vector<simulator::InstanceType>& types);

}  // namespace reprise::rehearsal
