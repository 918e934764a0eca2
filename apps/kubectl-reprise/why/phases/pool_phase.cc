// What the pool's own conditions say.
#include "apps/kubectl-reprise/why/phases/phases.h"

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
    {"CostLimitBelowOneNode", Cause::CostLimitBelowOneNode},
    {"InitializationDeadlineExceeded", Cause::InitializationDeadlineExceeded},
    {"MaxCostReached", Cause::PoolMaxCostReached},
    {"NodePoolTerminating", Cause::NodePoolTerminating},
};

Cause cause_of_pool(const Condition& condition) {
  for (const PoolReason& known : kPoolReasons) {
    if (known.reason == condition.reason) return known.cause;
  }
  const bool needs_person = condition.type == "Stalled" || condition.type == "CapacityAvailable";
  return needs_person ? Cause::PoolStalled : Cause::PoolNotReady;
}

std::vector<std::string> at_pool(Cause cause, const Inquiry& inquiry) {
  const std::string edit = edit_pool(inquiry);
  const std::string look = "kubectl describe gpupool " + inquiry.seen.pool->meta.name;
  if (cause == Cause::InitializationDeadlineExceeded) return after_pause(inquiry);
  if (cause == Cause::PoolMaxCostReached) {
    auto to_do = wait_or_raise(inquiry, "spec.maxCostPerHour");
    to_do.push_back(look);
    return to_do;
  }
  if (cause == Cause::KarpenterNotInstalled) return {"kubectl get crd nodepools.karpenter.sh", "install Karpenter"};
  if (cause == Cause::NodeOverlayIgnored) {
    return {"set FEATURE_GATES=NodeOverlay=true (Helm: settings.featureGates.nodeOverlay=true) for Karpenter"};
  }
  if (cause == Cause::NodeOverlayNotServed) return {"kubectl get crd nodeoverlays.karpenter.sh", "install that CRD"};
  if (cause == Cause::PoolNotSupported || cause == Cause::PoolInvalidSpec || cause == Cause::NoInstanceType ||
      cause == Cause::LimitBelowOneNode || cause == Cause::CostLimitBelowOneNode) {
    return {edit, look};
  }
  return {look};
}

// One that keeps the pool from serving jobs, the weightiest first.
const Condition* blocking(const Inquiry& inquiry) {
  const Pool& pool = *inquiry.seen.pool;
  const Condition* nothing = why_pool_rents_nothing(inquiry);
  if (nothing != nullptr && cause_of_pool(*nothing) != Cause::PoolMaxCostReached) return nothing;
  for (const char* type : {"SharingConfigured", "NodePoolsSynced"}) {
    if (const Condition* bad = with_status(pool.conditions, type, "False")) return bad;
  }
  if (nothing != nullptr) return nothing;
  const Condition* capacity = with_status(pool.conditions, "CapacityAvailable", "False");
  if (capacity != nullptr && capacity->reason == "NodeOfAnotherPool") return capacity;
  return with_status(pool.conditions, "Ready", "False");
}

}  // namespace

void say_of_pool(Inquiry& inquiry, const Condition& condition) {
  const Cause cause = cause_of_pool(condition);
  inquiry.found({.cause = cause,
                 .object = ref("GpuPool", inquiry.seen.pool->meta),
                 .found = condition.reason + ": " + condition.message,
                 .to_do = at_pool(cause, inquiry)});
}

void look_at_pool(Inquiry& inquiry) {
  if (!inquiry.seen.pool) return;
  // What a pool lacks does not hold up a job whose pods have nodes.
  if (inquiry.seen.job && pod_without_node(inquiry) == nullptr && !ranks_of_attempt(inquiry).empty()) return;
  if (const Condition* bad = blocking(inquiry)) return say_of_pool(inquiry, *bad);
  const Condition* ready = find(inquiry.seen.pool->conditions, "Ready");
  inquiry.ok(ref("GpuPool", inquiry.seen.pool->meta), ready == nullptr ? "no conditions yet" : ready->message);
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
                 .to_do = at_pool(cause, inquiry)});
}

}  // namespace reprise::plugin::why
