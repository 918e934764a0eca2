// Tells whose NodeClaim it is. An action that costs somebody's node rests on more than a label, which anybody may put
// on a NodePool of their own: the NodePool that the NodeClaim came out of has to be the GpuPool's work.
// (docs/decisions/attempts/0024-own-machines.md)
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/karpenter.h"
#include "api/labels.h"

namespace reprise::controllers {

inline constexpr std::string_view kNodePoolLabel = "karpenter.sh/nodepool";

// True when `claim` came out of `node_pool`, and `node_pool` is the work of the GpuPool with that name and uid.
[[nodiscard]] inline bool is_of_pool(const api::NodeClaim& claim, const api::NodePool& node_pool,
                                     std::string_view pool_name, std::string_view pool_uid) {
  const kube::OwnerReference* owner = node_pool.meta.controller();
  const bool pools_own = owner != nullptr && !pool_uid.empty() && owner->uid == pool_uid;
  return pools_own && claim.meta.label(api::kPoolLabel) == pool_name &&
         claim.meta.label(kNodePoolLabel) == std::string_view(node_pool.meta.name);
}

// The same, as far as a cache with these NodePools, by name, knows.
using NodePoolsByName = std::map<std::string, std::shared_ptr<const api::NodePool>, std::less<>>;
[[nodiscard]] inline bool is_of_pool(const api::NodeClaim& claim, const NodePoolsByName& node_pools,
                                     std::string_view pool_name, std::string_view pool_uid) {
  const auto found = node_pools.find(claim.meta.label(kNodePoolLabel));
  return found != node_pools.end() && is_of_pool(claim, *found->second, pool_name, pool_uid);
}

}  // namespace reprise::controllers
