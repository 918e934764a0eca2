#include "controllers/resumablejob/own_node_claim.h"

namespace reprise::controllers::resumablejob {

bool is_own_node_claim(const Observation& seen, const api::NodeClaim& claim) {
  if (!seen.pool) return false;
  const auto found = seen.node_pools.find(claim.meta.label(kNodePoolLabel));
  return found != seen.node_pools.end() && is_of_pool(claim, *found->second, seen.pool->meta.name, seen.pool->meta.uid);
}

}  // namespace reprise::controllers::resumablejob
