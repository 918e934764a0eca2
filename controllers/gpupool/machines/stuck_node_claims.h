// NodeClaims whose nodes are paid for and never become usable: Karpenter waits for a NodeClaim's initialisation without
// limit, and its demand counts as met meanwhile.
#pragma once

#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

[[nodiscard]] bool is_initialized(const api::NodeClaim& claim);
[[nodiscard]] bool is_launched(const api::NodeClaim& claim);

// True when Karpenter calls it initialised, or something runs on its GPUs.
[[nodiscard]] bool is_useful(const Observation& seen, const api::NodeClaim& claim, Plan& plan);

// NodeClaims that have not become useful in time and are not being ended: only those of the pool's own NodePools.
[[nodiscard]] std::vector<const api::NodeClaim*> overdue_node_claims(const Observation& seen, Plan& plan);
void end_overdue(const std::vector<const api::NodeClaim*>& overdue, Plan& plan);

}  // namespace reprise::controllers::gpupool
