// Tells whether ready machines of a pool take the pods that wait for it. A Node may have a taint that nobody told the
// pool of, or no room beside what runs on every node: then each such machine stands idle, is given back and rented
// anew. Pure.
#pragma once

#include <string>
#include <string_view>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// True for a pod that asks for GPUs by NVIDIA's own resources.
[[nodiscard]] bool names_gpus(const kube::Pod& pod);

// True when a pod that asks for the pool's units, or for GPUs by their own name, has been placed there.
[[nodiscard]] bool has_bound_pod(const Observation& seen, const api::NodeClaim& claim);

// True when such a pod waits for a machine of this NodePool, and has since before this one was asked for: a later one
// may be about to be placed. Both times are the API server's. A pod that names no pool counts where it may run on such
// machines: Karpenter rents them for it as well.
[[nodiscard]] bool has_waiting_pod(const Observation& seen, std::string_view node_pool, kube::Time since);

// Says why nothing was placed on the machine, as far as anybody tells: taints that the pool does not know, or the
// scheduler's words.
[[nodiscard]] std::string why_nothing_is_bound(const Observation& seen, const api::NodeClaim& claim);

}  // namespace reprise::controllers::gpupool
