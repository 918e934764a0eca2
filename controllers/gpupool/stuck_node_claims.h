// NodeClaims whose nodes are paid for and never become usable: Karpenter waits for a NodeClaim's initialisation without
// limit, and its demand counts as met meanwhile.
#pragma once

#include <string>

#include "controllers/gpupool/decide.h"

namespace reprise::controllers::gpupool {

[[nodiscard]] bool is_initialized(const api::NodeClaim& claim);
[[nodiscard]] bool is_launched(const api::NodeClaim& claim);

// Only NodeClaims of the pool's own NodePools, and none whose GPUs somebody uses. Returns what is to be said of the
// last that is overdue; empty: none is.
[[nodiscard]] std::string plan_stuck_node_claims(const Observation& seen, Plan& plan);

}  // namespace reprise::controllers::gpupool
