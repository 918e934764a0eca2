// What the pool's own conditions say.
#include "apps/kubectl-reprise/why/phases.h"

namespace reprise::plugin::why {
namespace {

struct PoolReason {
  std::string_view reason;
  Cause cause;
};
constexpr PoolReason kPoolReasons[] = {
    {"KarpenterNotInstalled", Cause::KarpenterNotInstalled},
    {"NotSupported", Cause::PoolNotSupported},
    {"InvalidSpec", Cause::PoolInvalidSpec},
    {"NodePoolNotOwned", Cause::NodePoolNotOwned},
    {"DevicePluginKeyNotOwned", Cause::DevicePluginKeyNotOwned},
    {"FailedCreate", Cause::PoolObjectRejected},
    {"ChangedBack", Cause::ChangedBack},
    {"NodeOverlayNotServed", Cause::NodeOverlayNotServed},
    {"NodeOverlayIgnored", Cause::NodeOverlayIgnored},
    {"NodeOverlayNotReady", Cause::NodeOverlayNotReady},
    {"NodeOverlayNotOwned", Cause::NodeOverlayNotOwned},
    {"NodeSharingFailed", Cause::NodeSharingFailed},
    {"UnitsMissing", Cause::UnitsMissing},
    {"NodeLabelNotOwned", Cause::NodeLabelNotOwned},
    {"NodeOfAnotherPool", Cause::NodeOfAnotherPool},
    {"NodesInUse", Cause::NodesInUse},
    {"NoNodes", Cause::NoExistingNodes},
    {"NoInstanceType", Cause::NoInstanceType},
    {"LimitBelowOneNode", Cause::LimitBelowOneNode},
    {"InitializationDeadlineExceeded", Cause::InitializationDeadlineExceeded},
    {"NodePoolTerminating", Cause::NodePoolTerminating},
};

Cause cause_of_pool(std::string_view reason) {
  for (const PoolReason& known : kPoolReasons) {
    if (known.reason == reason) return known.cause;
  }
  return Cause::PoolNotReady;
}

std::vector<std::string> at_pool(Cause cause, const Pool& pool) {
  const std::string edit = "kubectl edit gpupool " + pool.meta.name;
  const std::string look = "kubectl describe gpupool " + pool.meta.name;
  if (cause == Cause::KarpenterNotInstalled) return {"kubectl get crd nodepools.karpenter.sh", "install Karpenter"};
  if (cause == Cause::NodeOverlayIgnored) {
    return {"set FEATURE_GATES=NodeOverlay=true (Helm: settings.featureGates.nodeOverlay=true) for Karpenter"};
  }
  if (cause == Cause::NodeOverlayNotServed) return {"kubectl get crd nodeoverlays.karpenter.sh", "install that CRD"};
  if (cause == Cause::PoolNotSupported || cause == Cause::PoolInvalidSpec || cause == Cause::NoInstanceType ||
      cause == Cause::LimitBelowOneNode) {
    return {edit, look};
  }
  return {look};
}

// One that keeps the pool from serving jobs, the weightiest first.
const Condition* blocking(const Pool& pool) {
  if (const Condition* stalled = with_status(pool.conditions, "Stalled", "True")) return stalled;
  for (const char* type : {"SharingConfigured", "NodePoolsSynced", "CapacityAvailable", "Ready"}) {
    if (const Condition* bad = with_status(pool.conditions, type, "False")) return bad;
  }
  return nullptr;
}

}  // namespace

void look_at_pool(Inquiry& inquiry) {
  if (!inquiry.seen.pool) return;
  const Pool& pool = *inquiry.seen.pool;
  const ObjectRef object = ref("GpuPool", pool.meta);
  // What a pool lacks does not hold up a job whose pods have nodes.
  if (inquiry.seen.job && pod_without_node(inquiry) == nullptr && !ranks_of_attempt(inquiry).empty()) return;
  if (const Condition* bad = blocking(pool)) {
    const Cause cause = cause_of_pool(bad->reason);
    return inquiry.found(
        {.cause = cause, .object = object, .found = bad->reason + ": " + bad->message, .to_do = at_pool(cause, pool)});
  }
  const Condition* ready = find(pool.conditions, "Ready");
  inquiry.ok(object, ready == nullptr ? "no conditions yet" : ready->message);
}

// A pool with a broken node serves jobs on others: said only where nothing else is found.
void look_at_node_health(Inquiry& inquiry) {
  if (!inquiry.seen.pool || inquiry.has_finding()) return;
  const Pool& pool = *inquiry.seen.pool;
  const Condition* bad = with_status(pool.conditions, "NodesHealthy", "False");
  if (bad == nullptr || bad->reason == "ReplacingNodes") return;
  const Cause cause = bad->reason == "ReplacementHeld" ? Cause::NodeReplacementHeld : Cause::NodeGpuFault;
  inquiry.found({.cause = cause,
                 .object = ref("GpuPool", pool.meta),
                 .found = bad->reason + ": " + bad->message,
                 .to_do = at_pool(cause, pool)});
}

}  // namespace reprise::plugin::why
