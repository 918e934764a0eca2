// Ends the chain: a pod has waited for a node for long, and nothing says why.
#include <algorithm>

#include "apps/kubectl-reprise/why/phases/phases.h"

namespace reprise::plugin::why {

namespace {

// True when Karpenter makes no nodes for the pool.
bool is_of_existing_nodes(const Pool& pool) {
  const Condition* const synced = find(pool.conditions, "NodePoolsSynced");
  return synced != nullptr && synced->reason == "NotNeeded";
}

}  // namespace

void look_for_silence(Inquiry& inquiry) {
  const Pod* pod = pod_without_node(inquiry);
  if (pod != nullptr && inquiry.seen.pool && is_of_existing_nodes(*inquiry.seen.pool)) {
    return inquiry.found({.cause = Cause::ExistingNodesFull,
                          .object = ref("Pod", pod->meta),
                          .found = "it waits for a node since " + kube::format_time(pod->meta.created) +
                                   "; the pool is of nodes that are there already",
                          .to_do = {"kubectl get pods -A -o wide   # wait for one on the pool's nodes to end",
                                    "kubectl get nodes -l reprise.dev/pool=" + inquiry.seen.pool->meta.name}});
  }
  if (pod == nullptr || !inquiry.seen.pool || inquiry.since(pod->meta.created) <= kJoining) return;
  // When the pool lets Karpenter rent nothing, Karpenter need not report it.
  const bool may_rent = std::ranges::any_of(inquiry.seen.node_pools, [&](const NodePool& each) {
    return may_use(inquiry, each.meta.name) && !why_held_back(inquiry, each);
  });
  if (!may_rent && !inquiry.seen.node_pools.empty()) return;
  if (!inquiry.seen.saw("NodeClaim") || !inquiry.seen.saw("Event") || !coming_node_claims(inquiry).empty()) return;
  for (const Event& event : inquiry.seen.events) {
    if (event.about.kind != "Pod" || event.about.name != pod->meta.name || event.source != "karpenter") continue;
    if (inquiry.since(event.last) <= kNews) return;
  }
  inquiry.found({.cause = Cause::KarpenterSilent,
                 .object = ref("Pod", pod->meta),
                 .found = "it waits for a node since " + kube::format_time(pod->meta.created) +
                          "; there is no NodeClaim for it, and no Event of Karpenter about it",
                 .to_do = {"kubectl get pods -A -l app.kubernetes.io/name=karpenter",
                           "kubectl logs -n kube-system -l app.kubernetes.io/name=karpenter --tail=50"}});
}

}  // namespace reprise::plugin::why
