#include <algorithm>
#include <variant>

#include "controllers/common/conditions.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/ends/pauses.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/pods/pod_builder.h"

namespace reprise::controllers::resumablejob {
namespace {

bool is_queued(const Observation& seen) {
  return !queue_name(*seen.job).empty();
}

// Nodes of the flavor and nodes that the job may use: there are none of both.
std::string flavor_conflict(const Observation& seen) {
  const kube::StringMap own = own_node_selector(seen);
  for (const auto& flavor : seen.kueue.flavors) {
    for (const auto& [key, value] : flavor->node_labels) {
      const auto found = own.find(key);
      if (found == own.end() || found->second == value) continue;
      return "ResourceFlavor " + std::string(flavor->meta.name) + " has nodes with " + std::string(key) + "=" +
             std::string(value) + ", and the job asks for " + std::string(key) + "=" + std::string(found->second) +
             "; use a ClusterQueue whose flavors fit the pool";
    }
  }
  return {};
}

WaitsForQuota needs_a_person(std::string reason, std::string message) {
  return {.said = {std::move(reason), std::move(message)}, .needs_a_person = true};
}

WaitsForQuota waits(std::string message) {
  return {.said = {std::string(kWaitForQuota), std::move(message)}, .needs_a_person = false};
}

// True when a pod may run that is left over from an attempt that is closed, and not proven to have ended.
bool any_pod_may_run(const PlanBuilder& builder) {
  const auto& ended = builder.plan.status.lingering_pods;
  return std::ranges::any_of(builder.seen.pods, [&](const auto& pod) {
    return pod->meta.label(kStandbyLabel).empty() && may_still_run(*pod) &&
           std::ranges::find(ended, pod->meta.uid) == ended.end();
  });
}

constexpr std::string_view kFlavorConflict = "FlavorConflict";
// A conflict shows only when quota is held: it is asked for once in a while, for who mends the flavor or the queue.
constexpr std::chrono::minutes kUntilAskedAgain(10);

std::string queue_of(const Observation& seen) {
  return "label " + std::string(kQueueNameLabel) + " names LocalQueue " + std::string(queue_name(*seen.job));
}

// A conflict that was found not long ago, of this queue and this spec.
std::optional<WaitsForQuota> known_conflict(PlanBuilder& builder) {
  const kube::Condition* before = find_condition(builder.conditions.before(), "Stalled");
  if (!said_before(builder, "Stalled", kFlavorConflict) || before->status != kube::ConditionStatus::True)
    return std::nullopt;
  const bool same = before->observed_generation == builder.seen.job->meta.generation &&
                    std::string_view(before->message).starts_with(queue_of(builder.seen) + ": ");
  const kube::Time again = before->last_transition_time + kUntilAskedAgain;
  if (!same || again <= builder.seen.now || again > builder.seen.now + kUntilAskedAgain) return std::nullopt;
  builder.plan.wake_by(again);
  return needs_a_person(std::string(kFlavorConflict), std::string(before->message));
}

}  // namespace

void give_quota_back(PlanBuilder& builder) {
  const auto& workload = builder.seen.kueue.workload;
  // The API server is asked again after a rejection: nobody need come for it.
  if (!builder.outlook.stalled || builder.outlook.is_tried_again) return;
  if (!workload || any_pod_may_run(builder) || workload->meta.deletion_timestamp) return;
  const bool is_planned = std::ranges::any_of(
      builder.plan.actions, [](const Action& action) { return std::holds_alternative<DeleteWorkload>(action); });
  if (!is_planned) builder.plan.actions.emplace_back(DeleteWorkload{workload->meta.name, workload->meta.uid});
}

void settle_workload(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const auto& workload = seen.kueue.workload;
  if (!workload || workload->meta.deletion_timestamp || any_pod_may_run(builder)) return;
  // Quota that it held while another job has its claims might be what that one waits for.
  const bool could_begin = why_another_job_keeps_claims(seen).empty();
  const bool wanted = is_queued(seen) && !seen.job->spec.suspend && !reached_limit(builder) && could_begin &&
                      !pauses_for_long(builder.status(), seen.now);
  if (!wanted || workload->is_true("Finished") || !asks_for_the_same(*workload, *seen.job)) {
    builder.plan.actions.emplace_back(DeleteWorkload{workload->meta.name, workload->meta.uid});
  } else if (holds_quota_after_eviction(*workload)) {
    builder.plan.actions.emplace_back(
        ReleaseQuota{workload->meta.name, std::string(workload->meta.resource_version), released(*workload, seen.now)});
  }
}

std::optional<WaitsForQuota> wait_for_quota(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  if (!is_queued(seen)) return std::nullopt;
  const std::string queue = queue_of(seen);
  if (!seen.kueue.enabled) {
    return needs_a_person("KueueDisabled",
                          queue +
                              ", and the operator runs without --feature-gates=Kueue=true: turn it on, "
                              "or take the label off to run without a queue");
  }
  if (!seen.kueue.served) {
    return needs_a_person("KueueNotInstalled", queue +
                                                   ", and the cluster does not serve workloads.kueue.x-k8s.io/v1beta2: "
                                                   "install Kueue 0.16 or newer, or take the label off");
  }
  if (!seen.kueue.not_found.empty()) return waits(seen.kueue.not_found);
  const auto& workload = seen.kueue.workload;
  if (!workload) {
    if (auto conflict = known_conflict(builder)) return conflict;
    builder.plan.actions.emplace_back(CreateWorkload{workload_for(seen)});
    return waits("Workload " + workload_name(*seen.job) + " is being made");
  }
  if (!is_admitted(*workload)) return waits(why_not_admitted(*workload));
  if (!asks_for_the_same(*workload, *seen.job)) return waits("the job has changed: it is queued anew");
  if (std::string conflict = flavor_conflict(seen); !conflict.empty())
    return needs_a_person(std::string(kFlavorConflict), queue + ": " + conflict);
  return std::nullopt;
}

void wait_in_queue(PlanBuilder& builder, std::string message) {
  stop_clock(builder);
  builder.outlook.waits = Saying{std::string(kWaitForQuota), std::move(message)};
}

void report_to_workload(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const auto& workload = seen.kueue.workload;
  if (!workload || !is_admitted(*workload) || builder.status().members.empty()) return;
  const bool ready = builder.outlook.ready;
  if (ready == workload->is_true("PodsReady")) return;
  // Ready once since it was admitted: Kueue has a limit of its own for a recovery.
  const std::string_view reason = !ready ? kWaitForRecovery : waits_for_recovery(*workload) ? "Recovered" : "Started";
  builder.plan.actions.emplace_back(
      ReportToWorkload{workload->meta.name, std::string(workload->meta.resource_version),
                       with_condition(*workload, seen.now, "PodsReady",
                                      ready ? kube::ConditionStatus::True : kube::ConditionStatus::False, reason,
                                      ready ? "All pods are ready" : "Not all pods are ready")});
}

void finish_workload(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  const auto& workload = seen.kueue.workload;
  const auto& last = builder.status().last_end;
  if (!workload || workload->meta.deletion_timestamp || workload->is_true("Finished") || !last) return;
  const bool complete = last->cause == api::AttemptEndCause::Succeeded;
  builder.plan.actions.emplace_back(
      ReportToWorkload{workload->meta.name, std::string(workload->meta.resource_version),
                       with_condition(*workload, seen.now, "Finished", kube::ConditionStatus::True,
                                      complete ? "Succeeded" : "Failed", last->message)});
}

std::optional<kube::Condition> quota_condition(const Observation& seen) {
  const auto& workload = seen.kueue.workload;
  if (!workload || !is_queued(seen)) return std::nullopt;
  const kube::Condition* found = workload->condition("QuotaReserved");
  kube::Condition condition;
  condition.type = "QuotaReserved";
  if (found == nullptr) {
    condition.status = kube::ConditionStatus::False;
    condition.reason = "Pending";
    condition.message = why_not_admitted(*workload);
  } else {
    condition.status = found->status;
    condition.reason = found->reason;
    condition.message = found->message;
  }
  return condition;
}

}  // namespace reprise::controllers::resumablejob
