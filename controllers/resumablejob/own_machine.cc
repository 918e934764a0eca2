#include "controllers/resumablejob/own_machine.h"

#include <algorithm>

#include "controllers/resumablejob/names.h"

namespace reprise::controllers::resumablejob {

bool is_of_pool(const api::NodeClaim& claim, const api::NodePool& node_pool, std::string_view pool_name,
                std::string_view pool_uid) {
  const api::OwnerReference* owner = node_pool.meta.controller();
  const bool pools_own = owner != nullptr && !pool_uid.empty() && owner->uid == pool_uid;
  return pools_own && claim.meta.label(kPoolLabel) == pool_name &&
         claim.meta.label(kNodePoolLabel) == std::string_view(node_pool.meta.name);
}

bool is_own_machine(const Observation& seen, const api::NodeClaim& claim) {
  if (!seen.pool) return false;
  const auto found = seen.node_pools.find(claim.meta.label(kNodePoolLabel));
  return found != seen.node_pools.end() && is_of_pool(claim, *found->second, seen.pool->meta.name, seen.pool->meta.uid);
}

}  // namespace reprise::controllers::resumablejob
