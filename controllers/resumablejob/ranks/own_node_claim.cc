#include "controllers/resumablejob/ranks/own_node_claim.h"

namespace reprise::controllers::resumablejob {

bool is_own_node_claim(const Observation& seen, const api::NodeClaim& claim) {
  return seen.pool && is_of_pool(claim, seen.node_pools, seen.pool->meta.name, seen.pool->meta.uid);
}

}  // namespace reprise::controllers::resumablejob
