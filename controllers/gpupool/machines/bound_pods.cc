#include "controllers/gpupool/machines/bound_pods.h"

#include <algorithm>
#include <string_view>

#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/rentable/machines.h"
#include "controllers/gpupool/rentable/selectors.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {
namespace {

bool asks_for_gpus(const kube::Pod& pod, const GpuSharing& sharing) {
  return sharing.units_in(pod.resource_requests) > 0 || names_gpus(pod);
}

// True for a taint that a pod of the pool tolerates, and for one that says how a node is or that it goes.
bool is_expected(const api::GpuPoolSpec& spec, const kube::Taint& taint) {
  const std::string_view key = taint.key;
  if (key == "nvidia.com/gpu" || key.starts_with("karpenter.sh/") || key.starts_with("node.kubernetes.io/"))
    return true;
  return std::ranges::any_of(spec.taints, [&](const kube::Taint& known) { return known.key == taint.key; });
}

bool tolerates(const kube::Pod& pod, const kube::Taint& taint) {
  if (taint.effect == std::string_view("PreferNoSchedule")) return true;
  return std::ranges::any_of(pod.tolerated_taints,
                             [&](const kube::Text& key) { return key.empty() || key == taint.key; });
}

// True for a pod for which Karpenter may rent machines of that NodePool although it names no pool. What it asks for by
// affinity is not looked at.
bool may_rent(const Observation& seen, std::string_view node_pool, const kube::Pod& pod) {
  const auto found = seen.node_pools.find(node_pool);
  if (found == seen.node_pools.end()) return false;
  rentable::Demands selected;
  for (const auto& [key, value] : pod.node_selector) {
    if (key == kNodePoolLabel && value != node_pool) return false;
    selected.push_back({.field = {}, .requirement = {std::string(key), "In", {std::string(value)}, {}}});
  }
  return std::ranges::all_of(found->second->spec.taints, [&](const auto& taint) { return tolerates(pod, taint); }) &&
         rentable::selector_misfits(std::string(seen.pool->meta.name), seen.pool->spec, {selected}).empty() &&
         !rentable::machines_of(seen.pool->spec, selected).misfit;
}

}  // namespace

bool names_gpus(const kube::Pod& pod) {
  return std::ranges::any_of(pod.resource_requests, [](const auto& entry) {
    return std::string_view(entry.first).starts_with("nvidia.com/");
  });
}

bool has_bound_pod(const Observation& seen, const api::NodeClaim& claim) {
  if (claim.node_name.empty()) return false;
  const GpuSharing sharing = sharing_of(seen.pool->spec.sharing);
  return std::ranges::any_of(
      seen.pods, [&](const auto& pod) { return pod->node_name == claim.node_name && asks_for_gpus(*pod, sharing); });
}

bool has_waiting_pod(const Observation& seen, std::string_view node_pool, kube::Time since) {
  const GpuSharing sharing = sharing_of(seen.pool->spec.sharing);
  const auto waits = [&](const auto& pod) {
    const auto asked_for = capacity_asked_for(*pod);
    return waits_for_node(*pod) && asks_for_gpus(*pod, sharing) &&
           (!asked_for || node_pool == node_pool_name(seen.pool->meta.name, *asked_for)) &&
           pod->meta.creation_timestamp <= since;
  };
  return std::ranges::any_of(seen.waiting, waits) || std::ranges::any_of(seen.waiting_anywhere, [&](const auto& pod) {
           return waits(pod) && may_rent(seen, node_pool, *pod);
         });
}

std::string why_nothing_is_bound(const Observation& seen, const api::NodeClaim& claim) {
  const auto node = std::ranges::find_if(
      seen.nodes, [&](const auto& each) { return std::string_view(each->meta.name) == claim.node_name; });
  if (node != seen.nodes.end())
    for (const kube::Taint& taint : (*node)->taints)
      if (taint.effect != std::string_view("PreferNoSchedule") && !is_expected(seen.pool->spec, taint))
        return "its Node has the taint " + std::string(taint.key) + ":" + std::string(taint.effect) +
               ", which the pool does not know: list it in spec.startupTaints if somebody takes it off, in spec.taints "
               "if it stays";
  const std::string_view node_pool = claim.meta.label(kNodePoolLabel);
  for (const auto* pods : {&seen.waiting, &seen.waiting_anywhere})
    for (const auto& pod : *pods) {
      const kube::PodCondition* scheduled = pod->condition("PodScheduled");
      if (scheduled == nullptr || scheduled->message.empty()) continue;
      if (pods == &seen.waiting_anywhere && !may_rent(seen, node_pool, *pod)) continue;
      return "the scheduler says of pod " + std::string(pod->meta.namespace_) + "/" + std::string(pod->meta.name) +
             ": " + std::string(scheduled->message);
    }
  return "see what else runs on its Node";
}

}  // namespace reprise::controllers::gpupool
