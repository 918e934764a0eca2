#include "controllers/gpupool/machines/rented.h"

#include <algorithm>

#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {
namespace {

std::int64_t quantity_in(const kube::StringMap& capacity, std::string_view resource) {
  const auto found = capacity.find(resource);
  return found == capacity.end() ? 0 : std::max<std::int64_t>(kube::whole_number(found->second).value_or(0), 0);
}

}  // namespace

bool is_rented(const Observation& seen, const api::NodeClaim& claim) {
  return !claim.meta.deletion_timestamp && is_own(seen, claim);
}

std::int64_t quantity_rented(const api::NodeClaim& claim, const kube::Node* node, std::string_view resource) {
  return quantity_in(node != nullptr && is_initialized(claim) ? node->capacity : claim.capacity, resource);
}

NodesOfClaims::NodesOfClaims(const Observation& seen) {
  for (const auto& node : seen.nodes) by_name_.emplace(node->meta.name, node.get());
}

const kube::Node* NodesOfClaims::of(const api::NodeClaim& claim) const {
  const auto found = by_name_.find(claim.node_name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace reprise::controllers::gpupool
