#include "controllers/gpupool/fallback/fallback_candidates.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controllers/common/capacity_label.h"
#include "controllers/common/job_of.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/machines/drifted_nodes.h"
#include "controllers/gpupool/machines/rolling.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/warm/warm_pod.h"

namespace reprise::controllers::gpupool {
namespace {

// A bound pod does not say what it asked for: the job does, and Kueue says it for those in its queues.
bool takes_any_capacity(const api::ResumableJob& job) {
  const auto& placement = job.spec.placement;
  if (placement && (placement->complete_by || placement->capacity != api::PlacementCapacity::SpotPreferred))
    return false;
  if (!job.meta.label("kueue.x-k8s.io/queue-name").empty()) return false;
  const std::string pod_template = job.spec.pod_template.json.text();
  return pod_template.find("karpenter.sh/capacity-type") == std::string::npos &&
         pod_template.find("karpenter.sh/nodepool") == std::string::npos;
}

// The price of the same machine in the same zone as that capacity type.
prices::NodePrice price_as(const Observation& seen, const kube::ObjectMeta& machine, api::CapacityType type) {
  kube::ObjectMeta other = machine;
  other.labels.erase("eks-node-viewer/instance-price");
  other.labels["karpenter.sh/capacity-type"] = capacity_label(type);
  return prices::price_of(seen.pool->spec, other, seen.price_table);
}

std::optional<FallbackNode> candidate(const Observation& seen, const NodesOfClaims& nodes, const api::NodeClaim& claim,
                                      const CapacityRoom& room) {
  const api::GpuPoolSpec& spec = seen.pool->spec;
  const kube::Node* node = nodes.of(claim);
  const auto rank = capacity_rank(spec, claim);
  if (!is_in_service(seen, claim) || has_drifted(claim) || node == nullptr || !rank) return std::nullopt;
  const prices::MicroUsd price = prices::price_of(spec, node->meta, seen.price_table).per_hour;
  const std::int64_t quantity = room.quantity_of(claim, node);
  for (std::size_t i = 0; i < *rank; ++i) {
    const prices::NodePrice other = price_as(seen, node->meta, spec.capacity[i].type);
    if (other.is_known && other.per_hour < price && room.has(spec.capacity[i], quantity))
      return FallbackNode{&claim, node, &spec.capacity[i], price, other.per_hour, quantity};
  }
  return std::nullopt;
}

}  // namespace

CapacityRoom::CapacityRoom(const Observation& seen, const NodesOfClaims& nodes)
    : sharing_(sharing_of(seen.pool->spec.sharing)) {
  for (const api::PoolCapacity& type : seen.pool->spec.capacity) {
    const std::string node_pool = node_pool_name(seen.pool->meta.name, type.type);
    for (const auto& claim : seen.node_claims) {
      if (claim->meta.label("karpenter.sh/nodepool") == node_pool && is_rented(seen, *claim))
        rented_[type.type] += quantity_of(*claim, nodes.of(*claim));
    }
  }
}

bool CapacityRoom::has(const api::PoolCapacity& type, std::int64_t quantity) const {
  if (!type.max_gpus) return true;
  const auto rented = rented_.find(type.type);
  return (rented == rented_.end() ? 0 : rented->second) + quantity <= sharing_.quantity_of(*type.max_gpus);
}

UsersOfNodes users_of_nodes(const Observation& seen) {
  UsersOfNodes found;
  for (const auto& pod : seen.pods) {
    const kube::OwnerReference* owner = pod->meta.controller();
    if (has_ended(*pod) || is_warm(*pod)) continue;
    if (owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node")) continue;
    UsersOfNode& users = found[std::string_view(pod->node_name)];
    auto job = owner == nullptr ? seen.users.end() : seen.users.find(owner->uid);
    if (job != seen.users.end() && !is_of_job(pod->meta, *job->second)) job = seen.users.end();
    if (job == seen.users.end() || !takes_any_capacity(*job->second)) users.may_return = false;
    if (job != seen.users.end()) users.jobs.insert(std::string_view(job->first));
  }
  return found;
}

std::vector<FallbackNode> fallback_candidates(const Observation& seen, const NodesOfClaims& nodes,
                                              const UsersOfNodes& users, const CapacityRoom& room) {
  std::vector<FallbackNode> found;
  const NodeUsers asked(seen);
  for (const auto& claim : seen.node_claims) {
    auto fallback = candidate(seen, nodes, *claim, room);
    const auto of_node = users.find(std::string_view(claim->node_name));
    if (!fallback || of_node == users.end() || !of_node->second.may_return) continue;
    fallback->jobs = of_node->second.jobs;
    fallback->may_go = may_go(seen, asked, *claim);
    if (fallback->may_go.answer != MayGo::Answer::Kept && fallback->may_go.is_used)
      found.push_back(*std::move(fallback));
  }
  return found;
}

std::optional<std::size_t> capacity_rank(const api::GpuPoolSpec& spec, const api::NodeClaim& claim) {
  const auto found = std::ranges::find(spec.capacity, prices::capacity_type(claim.meta), &api::PoolCapacity::type);
  if (found == spec.capacity.end()) return std::nullopt;
  return static_cast<std::size_t>(found - spec.capacity.begin());
}

}  // namespace reprise::controllers::gpupool
