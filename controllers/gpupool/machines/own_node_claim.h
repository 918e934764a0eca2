// Tells which NodeClaims a pool may delete, and which of those that it has written down are still there.
#pragma once

#include <algorithm>
#include <string_view>

#include "controllers/common/node_claim_of_pool.h"
#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// True when the NodeClaim came out of a NodePool that is this very pool's work.
[[nodiscard]] inline bool is_own(const Observation& seen, const api::NodeClaim& claim) {
  return is_of_pool(claim, seen.node_pools, seen.pool->meta.name, seen.pool->meta.uid);
}

// The NodeClaim of that name; null: it is gone.
[[nodiscard]] inline const api::NodeClaim* claim_named(const Observation& seen, std::string_view name) {
  const auto found =
      std::ranges::find_if(seen.node_claims, [&](const auto& claim) { return claim->meta.name == name; });
  return found == seen.node_claims.end() ? nullptr : found->get();
}

}  // namespace reprise::controllers::gpupool
