#include "controllers/gpupool/fallback/fallback_outage.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/rolling.h"
#include "controllers/gpupool/node_pools/node_pools.h"

namespace reprise::controllers::gpupool {
namespace {

// A node that came within such a time of a try in vain came because of it.
constexpr std::chrono::hours kCameOfTheTry(1);

// True when a machine has come that could have stood in the fallback's place: in its zone, and as large.
bool has_come_since(const Observation& seen, const NodesOfClaims& nodes, const CapacityRoom& room,
                    const FallbackNode& fallback, kube::Time time) {
  constexpr std::string_view kZone = "topology.kubernetes.io/zone";
  const std::string node_pool = node_pool_name(seen.pool->meta.name, fallback.preferred->type);
  return std::ranges::any_of(seen.node_claims, [&](const auto& each) {
    const kube::Node* other = nodes.of(*each);
    return each->meta.label("karpenter.sh/nodepool") == node_pool && is_in_service(seen, *each) &&
           each->meta.creation_timestamp > time && other != nullptr &&
           other->meta.label(kZone) == fallback.node->meta.label(kZone) &&
           room.quantity_of(*each, other) >= fallback.quantity;
  });
}

}  // namespace

Outage outage_of(const Observation& seen, const NodesOfClaims& nodes, const CapacityRoom& room,
                 const FallbackNode& fallback) {
  const kube::Time came = fallback.claim->meta.creation_timestamp;
  Outage outage{.since = came, .last_try = came};
  for (const api::RolledNode& each : seen.pool->status.drift.rolled) {
    const bool is_gone = claim_named(seen, each.node_claim) == nullptr;
    const bool is_try = each.reason == api::kPreferredCapacity && each.time > came - kCameOfTheTry && is_gone;
    if (!is_try || each.time > seen.now || has_come_since(seen, nodes, room, fallback, each.time)) continue;
    outage.since = std::min(outage.since, each.fallback_since.value_or(each.time));
    outage.last_try = std::max(outage.last_try, each.time);
  }
  outage.is_over = has_come_since(seen, nodes, room, fallback, outage.last_try);
  return outage;
}

}  // namespace reprise::controllers::gpupool
