#include "controllers/gpupool/machines/rolling_held.h"

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/machines/given_back.h"
#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/warm/warm_pod.h"

namespace reprise::controllers::gpupool {
namespace {

// Schedules are Karpenter's to read: here a budget of none holds all the time.
bool is_forbidden(const api::GpuPoolSpec& spec) {
  return std::ranges::any_of(spec.disruption_budgets, [](const api::DisruptionBudget& each) {
    const bool about_drift = each.reasons.empty() || std::ranges::find(each.reasons, "Drifted") != each.reasons.end();
    return about_drift && (each.nodes == "0" || each.nodes == "0%");
  });
}

// True for a job that begins, ends or was interrupted. A job without pods that waits for a person or a queue keeps
// nobody waiting, and one that has had no machine for a while keeps no unused node. `until`: when time alone changes
// that.
bool is_under_way(const api::ResumableJobStatus& status, bool is_used, kube::Time now,
                  std::optional<kube::Time>& until) {
  if (is_true(status.conditions, "Complete") || is_true(status.conditions, "Failed")) return false;
  const bool recovers = status.last_interruption && !status.last_interruption->recovered_time;
  if (!status.members.empty()) {
    if (status.attempt_end) return true;
    if (status.ready_attempt == status.attempt) return false;
    const bool has_machine =
        std::ranges::any_of(status.members, [](const api::RankStatus& each) { return !each.node_name.empty(); });
    if (is_used || recovers || has_machine || !status.attempt_start_time) return true;
    until = *status.attempt_start_time + kJobsAreWaitedFor;
    return now < *until;
  }
  if (is_true(status.conditions, "Suspended") || is_true(status.conditions, "Stalled")) return false;
  return recovers;
}

// A pod, of a server, say, that was on the node which went last. Jobs speak for their own pods.
const kube::Pod* waiting_pod(const Observation& seen) {
  for (const auto& pod : seen.waiting) {
    const kube::OwnerReference* owner = pod->meta.controller();
    const bool is_of_job = owner != nullptr && owner->kind == "ResumableJob";
    const bool is_recent = pod->meta.creation_timestamp > seen.now - kPodsAreWaitedFor;
    if (is_recent && !is_of_job && !is_warm(*pod) && waits_for_node(*pod)) return pod.get();
  }
  return nullptr;
}

// True when a broken node is written down to go, and is there still.
bool is_replacing(const Observation& seen, Plan& plan) {
  using Replaced = GivenBack<api::NodeReplacement>;
  return std::ranges::any_of(plan.status.health.replacements, [&](const api::NodeReplacement& each) {
    if (claim_named(seen, each.node_claim) == nullptr || !is_near(each.time, seen.now, Replaced::kWindow)) return false;
    plan.wake_by(each.time + Replaced::kWindow);
    return true;
  });
}

std::string what_is_not_at_rest(const Observation& seen, bool is_used, Plan& plan) {
  if (is_replacing(seen, plan)) return "nodes whose GPUs are called broken go first";
  for (const auto& claim : seen.node_claims) {
    if (!is_own(seen, *claim)) continue;
    if (claim->meta.deletion_timestamp) return "NodeClaim " + claim->meta.name + " is being deleted";
    if (!is_initialized(*claim)) return "NodeClaim " + claim->meta.name + " is not initialised yet";
  }
  for (const auto& [uid, job] : seen.users) {
    std::optional<kube::Time> until;
    if (!is_under_way(job->status, is_used, seen.now, until)) continue;
    if (until) plan.wake_by(*until);
    return "job " + std::string(job->meta.namespace_) + "/" + std::string(job->meta.name) +
           " is not training yet, or not again";
  }
  if (const kube::Pod* pod = waiting_pod(seen)) {
    plan.wake_by(pod->meta.creation_timestamp + kPodsAreWaitedFor);
    return "pod " + std::string(pod->meta.namespace_) + "/" + std::string(pod->meta.name) + " waits for a node";
  }
  return {};
}

}  // namespace

std::string why_nothing_is_rolled(const Observation& seen, const Settings& settings) {
  if (is_forbidden(seen.pool->spec)) return "spec.disruptionBudgets has a budget of 0 nodes that applies to Drifted";
  if (!settings.is_every_pod_seen)
    return "the operator follows some namespaces only, and does not see who else uses a node";
  return {};
}

std::string why_rolling_is_held(const Observation& seen, bool serves, bool is_used, Plan& plan) {
  if (!serves) return "the pool is not Ready, and another node might not come";
  if (const auto& failed = plan.status.startup.back_off; !failed.empty())
    return "the last machines of NodePool " + failed.front().node_pool +
           " never became useful, and another node might not come";
  return what_is_not_at_rest(seen, is_used, plan);
}

}  // namespace reprise::controllers::gpupool
