// Explains a pod without a node: by the scheduler's message about existing nodes, and Karpenter's about those it could
// rent.
#include <algorithm>

#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/reading/scheduler_message.h"

namespace reprise::plugin::why {
namespace {

Finding about(const Pod& pod, Cause cause, std::string found, std::vector<std::string> to_do = {}) {
  const ObjectRef object = ref("Pod", pod.meta);
  to_do.push_back(describe(object));
  return {.cause = cause, .object = object, .found = std::move(found), .to_do = std::move(to_do)};
}

std::optional<Finding> not_looked_at(const Inquiry& inquiry, const Pod& pod) {
  if (find(pod.conditions, "PodScheduled") != nullptr) return std::nullopt;
  if (inquiry.since(pod.meta.created) <= std::chrono::minutes(1)) return std::nullopt;
  return about(pod, Cause::SchedulerSilent,
               "schedulerName is " + pod.scheduler_name + ", and the pod has no condition PodScheduled",
               {"kubectl get pods -n kube-system"});
}

struct Meaning {
  Complaint complaint;
  Cause cause;
  bool new_node_helps;  // when a pool can rent one
  std::string_view to_do;
};
// The first row that fits a message is told.
constexpr Meaning kMeanings[] = {
    {Complaint::ClaimHeld, Cause::ClaimHeldByPod, false, "end the other pod that mounts the claim"},
    {Complaint::VolumeZone, Cause::VolumeInAnotherZone, false, "kubectl get pv -o wide"},
    {Complaint::VolumeCount, Cause::TooManyVolumes, true, "wait for a pod to end, or use larger nodes"},
    {Complaint::Affinity, Cause::AffinityNotMet, true,
     "loosen affinity and topologySpreadConstraints in spec.template"},
    {Complaint::Insufficient, Cause::NoRoom, true, "free a node, or name a GpuPool in spec.poolName"},
    {Complaint::Cordoned, Cause::NodesCordoned, true, "kubectl uncordon NODE"},
    {Complaint::Taint, Cause::TaintNotTolerated, true, "add the toleration to spec.template.spec.tolerations"},
    {Complaint::Selector, Cause::NodeSelectorMatchesNone, true,
     "kubectl get nodes --show-labels; correct nodeSelector and affinity in spec.template"},
};

std::optional<Finding> of_scheduler(const Pod& pod, const std::string& message, bool can_rent) {
  const std::vector<Complaint> complaints = read_complaints(message);
  for (const Meaning& meaning : kMeanings) {
    if (std::ranges::find(complaints, meaning.complaint) == complaints.end()) continue;
    if (meaning.new_node_helps && can_rent) continue;
    return about(pod, meaning.cause, message, {std::string(meaning.to_do)});
  }
  return std::nullopt;
}

// Reasons that only another pod, or another pool, could mend. Later phases look at limits and the provider.
std::optional<Finding> of_karpenter(const Pod& pod, const Refusal& refusal) {
  switch (refusal.why) {
    case RefusedFor::Volume:
      return about(pod, Cause::VolumeInAnotherZone, refusal.message, {"kubectl get pv -o wide"});
    case RefusedFor::Topology:
      return about(pod, Cause::AffinityNotMet, refusal.message,
                   {"loosen affinity and topologySpreadConstraints in spec.template"});
    case RefusedFor::Requirements:
      return about(
          pod, Cause::NodeSelectorMatchesNone, refusal.message,
          {"correct nodeSelector and affinity in spec.template, or spec.zones and spec.requirements of the pool"});
    case RefusedFor::Taint:
      return about(pod, Cause::TaintNotTolerated, refusal.message,
                   {"add the toleration to spec.template.spec.tolerations"});
    case RefusedFor::Limit:
    case RefusedFor::InstanceType:
    case RefusedFor::Offering:
    case RefusedFor::NoNodePool:
    case RefusedFor::VolumeNotBound:  // the claims were looked at: Karpenter does not report on a pod again for 5
                                      // minutes
    case RefusedFor::Other:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Finding> unschedulable(const Inquiry& inquiry, const Pod& pod, const Condition& scheduled) {
  const bool can_rent = !pool_name(inquiry).empty();
  if (const auto refusal = refusal_for(inquiry, pod)) {
    if (auto finding = of_karpenter(pod, *refusal)) return finding;
  }
  if (newest_event(inquiry, ref("Pod", pod.meta), {"Nominated", "TriggeredScaleUp"}) != nullptr) return std::nullopt;
  return of_scheduler(pod, scheduled.message, can_rent);
}

}  // namespace

void look_at_scheduler(Inquiry& inquiry) {
  const Pod* pod = pod_without_node(inquiry);
  if (pod == nullptr) return;
  if (auto finding = not_looked_at(inquiry, *pod)) return inquiry.found(*std::move(finding));
  const Condition* scheduled = with_status(pod->conditions, "PodScheduled", "False");
  if (scheduled == nullptr) return;
  if (scheduled->reason == "SchedulingGated") {
    return inquiry.found(about(*pod, Cause::SchedulingGated, scheduled->message));
  }
  if (auto finding = unschedulable(inquiry, *pod, *scheduled)) return inquiry.found(*std::move(finding));
  inquiry.found(about(*pod, Cause::WaitsForNode, scheduled->message));
}

}  // namespace reprise::plugin::why
