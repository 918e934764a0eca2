// The machines that Karpenter starts for the pool.
#include "apps/kubectl-reprise/why/phases/phases.h"

namespace reprise::plugin::why {
namespace {

bool concerns_subject(const Inquiry& inquiry) {
  return !inquiry.seen.job || pod_without_node(inquiry) != nullptr;
}

// The NodeClaim is deleted as soon as the provider says so; its Event stays.
const Event* out_of_capacity(const Inquiry& inquiry) {
  const Event* newest = nullptr;
  for (const Event& event : inquiry.seen.events) {
    if (event.about.kind != "NodeClaim" || event.reason != "InsufficientCapacityError") continue;
    if (inquiry.since(event.last) > kNews) continue;
    for (const NodePoolOfPool& own : inquiry.seen.pool->node_pools) {
      if (!event.about.name.starts_with(own.name + "-")) continue;
      if (newest == nullptr || event.last >= newest->last) newest = &event;
    }
  }
  return newest;
}

Finding no_capacity(const Inquiry& inquiry, ObjectRef object, std::string found) {
  return {.cause = Cause::InsufficientCapacity,
          .object = std::move(object),
          .found = std::move(found),
          .to_do = {"wait: it is tried again by itself",
                    edit_pool(inquiry, "more zones, models, countsPerNode, or capacity OnDemand")}};
}

Finding about(const NodeClaim& claim, Cause cause, const Condition* said, std::vector<std::string> to_do) {
  const ObjectRef object = ref("NodeClaim", claim.meta);
  to_do.push_back(describe(object));
  return {.cause = cause,
          .object = object,
          .found = said == nullptr ? "Karpenter has not said anything of it yet" : said->reason + ": " + said->message,
          .to_do = std::move(to_do)};
}

// The cause, by the reason with which Karpenter calls the machine not initialised.
Cause why_not_initialized(std::string_view reason) {
  if (reason == "ResourceNotRegistered" || reason == "DRADriverPoolsNotPublished") return Cause::GpuNotRegistered;
  if (reason == "StartupTaintsExist") return Cause::StartupTaintKept;
  return Cause::NodeNotInitialized;
}

Finding judge(const Inquiry& inquiry, const NodeClaim& claim) {
  const Condition* launched = find(claim.conditions, "Launched");
  const Condition* registered = find(claim.conditions, "Registered");
  const Condition* initialized = find(claim.conditions, "Initialized");
  const auto is_true = [](const Condition* condition) { return condition != nullptr && condition->status == "True"; };
  if (!is_true(launched)) {
    const bool waits = launched == nullptr || launched->reason.empty() || launched->reason == "AwaitingReconciliation";
    if (waits && inquiry.since(claim.meta.created) <= kJoining) return about(claim, Cause::NodeStarting, launched, {});
    if (!waits && launched->reason.find("InsufficientCapacity") != std::string::npos) {
      return no_capacity(inquiry, ref("NodeClaim", claim.meta), launched->message);
    }
    return about(claim, Cause::LaunchFailed, launched, {});
  }
  const bool late = inquiry.since(claim.meta.created) > kJoining;
  const Condition* last = is_true(registered) ? initialized : registered;
  if (!late) return about(claim, Cause::NodeStarting, last, {});
  if (!is_true(registered)) {
    return about(claim, Cause::NodeNotRegistered, registered, {"look at the machine's console at the provider"});
  }
  const Cause cause = why_not_initialized(initialized == nullptr ? "" : initialized->reason);
  const std::string node = "kubectl describe node " + claim.node_name;
  if (cause == Cause::GpuNotRegistered) {
    return about(claim, cause, initialized,
                 {node, "kubectl get pods -A --field-selector spec.nodeName=" + claim.node_name});
  }
  return about(claim, cause, initialized, {node});
}

}  // namespace

void look_at_node_claims(Inquiry& inquiry) {
  if (!concerns_subject(inquiry)) return;
  if (!inquiry.seen.saw("GpuPool")) return inquiry.unseen("GpuPool", "not looked at: it cannot be read");
  if (!inquiry.seen.pool) return;
  if (!inquiry.seen.saw("NodeClaim")) return inquiry.unseen("NodeClaim", "not looked at: they cannot be read");
  const std::vector<const NodeClaim*> coming = coming_node_claims(inquiry);
  for (const NodeClaim* claim : coming) {
    inquiry.found(judge(inquiry, *claim));
    if (inquiry.over()) return;
  }
  // A machine is on its way: the provider's answers for earlier ones no longer matter.
  if (!coming.empty()) return;
  const Pod* pod = pod_without_node(inquiry);
  if (const Event* event = out_of_capacity(inquiry)) {
    return inquiry.found(no_capacity(inquiry, event->about, event->message));
  }
  const auto refusal = pod == nullptr ? std::nullopt : refusal_for(inquiry, *pod);
  if (refusal && refusal->why == RefusedFor::Offering) {
    return inquiry.found(no_capacity(inquiry, ref("GpuPool", inquiry.seen.pool->meta), refusal->message));
  }
}

}  // namespace reprise::plugin::why
