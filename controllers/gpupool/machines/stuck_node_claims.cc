#include "controllers/gpupool/machines/stuck_node_claims.h"

#include <algorithm>

#include "controllers/gpupool/machines/bound_pods.h"
#include "controllers/gpupool/machines/own_node_claim.h"

namespace reprise::controllers::gpupool {
namespace {

// This process has to know a NodeClaim for this long before it calls it late by the API server's clock.
constexpr std::chrono::seconds kOwnTimeout(300);

// A pod that is still there this long after it was to have ended has no kubelet that sees to it. It may have run on an
// earlier machine of that name, and keep its volume from the next attempt for as long as this node stands.
constexpr std::chrono::seconds kOverdue(60);

// True for a node on which something runs that asked for its GPUs: it has become usable, whatever Karpenter says of it.
bool is_used(const Observation& seen, const api::NodeClaim& claim, Plan& plan) {
  if (claim.node_name.empty()) return false;
  return std::ranges::any_of(seen.pods, [&](const auto& pod) {
    if (pod->node_name != claim.node_name || pod->phase != kube::PodPhase::Running || !names_gpus(*pod)) return false;
    if (!pod->meta.deletion_timestamp) return true;
    const kube::Time overdue = *pod->meta.deletion_timestamp + kOverdue;
    if (overdue > seen.now) plan.wake_by(overdue);
    return overdue > seen.now;
  });
}

// The time that it still has. By this process's clock alone, except for a NodeClaim that is older than the process.
std::chrono::seconds time_left(const Observation& seen, const api::NodeClaim& claim) {
  const std::chrono::seconds deadline(seen.pool->spec.initialization_deadline_seconds);
  const auto by_creation =
      std::chrono::duration_cast<std::chrono::seconds>(claim.meta.creation_timestamp + deadline - seen.now);
  const auto known = seen.sightings.find(claim.meta.uid);
  if (known == seen.sightings.end()) return by_creation;
  if (!known->second.from_before) return deadline - known->second.ago;
  return std::max(by_creation, std::min(deadline, kOwnTimeout) - known->second.ago);
}

}  // namespace

bool is_initialized(const api::NodeClaim& claim) {
  const kube::PodCondition* initialized = claim.condition("Initialized");
  return initialized != nullptr && initialized->status == "True";
}

bool is_launched(const api::NodeClaim& claim) {
  const kube::PodCondition* launched = claim.condition("Launched");
  return launched != nullptr && launched->status == "True";
}

bool is_useful(const Observation& seen, const api::NodeClaim& claim, Plan& plan) {
  return is_initialized(claim) || is_used(seen, claim, plan);
}

std::vector<const api::NodeClaim*> overdue_node_claims(const Observation& seen, Plan& plan) {
  std::vector<const api::NodeClaim*> overdue;
  for (const auto& claim : seen.node_claims) {
    if (claim->meta.deletion_timestamp || is_initialized(*claim) || !is_own(seen, *claim)) continue;
    const std::chrono::seconds left = time_left(seen, *claim);
    if (left > std::chrono::seconds(0)) {
      plan.wake_by(seen.now + left);
    } else if (!is_used(seen, *claim, plan)) {
      overdue.push_back(claim.get());
    }
  }
  return overdue;
}

void end_overdue(const std::vector<const api::NodeClaim*>& overdue, Plan& plan) {
  for (const api::NodeClaim* claim : overdue)
    plan.actions.emplace_back(DeleteStuckNodeClaim{claim->meta.name, claim->meta.uid});
}

}  // namespace reprise::controllers::gpupool
