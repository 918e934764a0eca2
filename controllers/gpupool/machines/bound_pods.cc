#include "controllers/gpupool/machines/bound_pods.h"

#include <algorithm>
#include <string_view>

#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/node_pools/node_pools.h"
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
  return std::ranges::any_of(seen.waiting, [&](const auto& pod) {
    const auto asked_for = capacity_asked_for(*pod);
    return waits_for_node(*pod) && asks_for_gpus(*pod, sharing) &&
           (!asked_for || node_pool == node_pool_name(seen.pool->meta.name, *asked_for)) &&
           pod->meta.creation_timestamp <= since;
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
  for (const auto& pod : seen.waiting) {
    const kube::PodCondition* scheduled = pod->condition("PodScheduled");
    if (scheduled != nullptr && !scheduled->message.empty())
      return "the scheduler says of pod " + std::string(pod->meta.namespace_) + "/" + std::string(pod->meta.name) +
             ": " + std::string(scheduled->message);
  }
  return "see what else runs on its Node";
}

}  // namespace reprise::controllers::gpupool
