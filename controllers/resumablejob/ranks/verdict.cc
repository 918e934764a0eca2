#include "controllers/resumablejob/ranks/verdict.h"

#include <algorithm>

#include "controllers/common/gpu_health.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/resumablejob/claims/common_step.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/ends/judge_failure.h"
#include "controllers/resumablejob/ends/silent_end.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/status/cost_limit.h"
#include "controllers/resumablejob/steps/schedule.h"
#include "protocol/agent_protocol.h"
#include "protocol/last_output.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

api::AttemptEnd end(const Observation& seen, AttemptEndCause cause, std::string reason, std::string message) {
  return api::AttemptEnd{.attempt = seen.job->status.attempt,
                         .cause = cause,
                         .reason = std::move(reason),
                         .message = std::move(message),
                         .node = {},
                         .time = seen.now,
                         .deadline = {}};
}

Verdict fails(const Observation& seen, FailedBy cause, std::string message) {
  return {.end = end(seen, AttemptEndCause::Failed, std::string(reason_of(cause)), std::move(message)),
          .failed_by = cause};
}

// A verdict that is no more than an end: the job goes on, or is complete.
std::optional<Verdict> ends(std::optional<api::AttemptEnd> end) {
  if (!end) return std::nullopt;
  return Verdict{.end = *std::move(end)};
}

bool none_has_a_node(const std::vector<Rank>& ranks) {
  return std::ranges::all_of(ranks, [](const Rank& m) { return m.memory.node_name.empty(); });
}

bool all(const std::vector<Rank>& ranks, RankState state) {
  return !ranks.empty() && std::ranges::all_of(ranks, [&](const Rank& m) { return m.state == state; });
}

// An end of its own is judged as what it was. Where the node or the pod has gone by the time anybody looks, only the
// agent can say that a stop came first: such a trainer may end with any code.
// (docs/decisions/attempts/0010-failure-after-stop.md)
bool failed_before_signal(const Rank& rank) {
  const bool gone = rank.signal && rank.signal->strength == interruption::Strength::Gone;
  const bool stop_requested = rank.record && rank.record->stop_requested && !rank.overfilled_disk;
  return rank.state == RankState::Failed && gone && !stop_requested;
}

// The time at which the node goes, by the operator's clock, as it counts from there: how long the node has was measured
// by one clock, the API server's. Peers of a pod that is deleted without its node have no less time than ever.
std::optional<kube::Time> node_goes_at(const Observation& seen, const interruption::Signal& signal) {
  if (signal.node.empty()) return std::nullopt;
  return signal.notice ? seen.now + *signal.notice : signal.deadline;
}

std::optional<Verdict> interrupted(const Observation& seen, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    // A rank that has ended well, or was ended because it hung, needs its node no more.
    if (rank.state == RankState::Succeeded || rank.state == RankState::NotCreated || rank.state == RankState::Hung)
      continue;
    // The end of a pod that was never admitted says nothing about its node.
    const bool about_pod = rank.signal && rank.signal->node.empty();
    const bool strong = rank.signal && rank.signal->strength != interruption::Strength::Hint &&
                        !(rank.state == RankState::Rejected && about_pod);
    if (!strong && rank.state != RankState::Stopped && rank.state != RankState::Vanished) continue;
    // The rank ended well because it was asked to save, and nothing takes its place away: it is to run again.
    const bool well = rank.memory.exit_code == 0 || rank.memory.exit_code == protocol::kCheckpointedExitCode;
    if (!strong && well && rank.state == RankState::Stopped && rank.pod && !rank.pod->meta.deletion_timestamp) {
      return ends(end(seen, AttemptEndCause::CheckpointedExit, "Checkpointed",
                      "pod " + rank.memory.pod_name + " ended after it was asked to save: run again"));
    }
    if (failed_before_signal(rank)) continue;
    api::AttemptEnd result = end(seen, AttemptEndCause::Interruption, strong ? rank.signal->reason : "PodDeleted",
                                 "rank " + std::to_string(rank.memory.index) + " was interrupted");
    if (strong) {
      result.message += ": " + rank.signal->message;
      result.node = rank.signal->node.empty() ? rank.memory.node_name : kube::Text(rank.signal->node);
      result.deadline = node_goes_at(seen, *rank.signal);
    } else {
      result.node = rank.memory.node_name;
    }
    if (!strong && rank.pod && rank.state == RankState::Vanished) {
      result.reason = "ContainerStatusUnknown";
      result.message += ": node " + result.node + " cannot say how its container ended; did the machine restart?";
    }
    return Verdict{.end = std::move(result),
                   .signal_time = strong ? rank.signal->since : std::nullopt,
                   .is_planned = strong && rank.signal->is_planned};
  }
  return std::nullopt;
}

// A trainer's failure on broken GPUs, whatever it says and ends with, is no failure of the application.
std::optional<Verdict> hardware_failed(const Observation& seen, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.state != RankState::Failed || is_install_failure(rank) || rank.node == nullptr) continue;
    // Nobody takes the node away: what fails there again is judged as it is anywhere.
    const auto& last = seen.job->status.last_interruption;
    if (last && last->node == rank.memory.node_name) continue;
    const auto fault = gpu_fault(*rank.node, seen.pool.get());
    if (!fault) continue;
    api::AttemptEnd result =
        end(seen, AttemptEndCause::Interruption, std::string(interruption::kHardwareFailure),
            "pod " + rank.memory.pod_name + " ended with exit code " + std::to_string(rank.exit_code()) +
                ", and its GPUs are broken: " + fault->sentence());
    result.node = rank.memory.node_name;
    return Verdict{.end = std::move(result)};
  }
  return std::nullopt;
}

// Neither the trainer failed nor does the node go: another try, later, may find room or a device again.
std::optional<api::AttemptEnd> rejected(const Observation& seen, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.state != RankState::Rejected) continue;
    return end(seen, AttemptEndCause::Rejected, "PodRejected",
               "the kubelet of node " + rank.memory.node_name + " did not admit pod " + rank.memory.pod_name + " (" +
                   rank.last->reason + "); kubectl describe node " + rank.memory.node_name +
                   " shows what it has; the job tries again, later each time");
  }
  return std::nullopt;
}

std::optional<api::AttemptEnd> agent_did_not_start(const Observation& seen, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.state != RankState::Refused || !rank.record) continue;
    return end(seen, AttemptEndCause::Refused, rank.record->reason, rank.record->message);
  }
  return std::nullopt;
}

std::optional<api::AttemptEnd> no_common_step(const Observation& seen, const std::vector<Rank>& ranks) {
  std::string why = why_no_step_is_common(seen, ranks);
  if (why.empty()) return std::nullopt;
  return end(seen, AttemptEndCause::Refused, std::string(protocol::kReasonCheckpointLost), std::move(why));
}

api::AttemptEnd install_failed(const Observation& seen, const Rank& rank) {
  if (rank.failed_init == protocol::kListContainer) {
    const kube::ContainerStatus* list = rank.last->container(protocol::kListContainer);
    const std::string said = list->message.empty() ? std::string() : ": " + std::string(list->message);
    return end(seen, AttemptEndCause::NotInstalled, "VolumeUnavailable",
               "pod " + rank.memory.pod_name + ": the checkpoints of its volume could not be listed (exit code " +
                   std::to_string(rank.failed_init_code) + ")" + said + "; the job tries again, later each time");
  }
  return end(seen, AttemptEndCause::NotInstalled, "AgentInstallFailed",
             "pod " + rank.memory.pod_name + ": init container " + rank.failed_init + " ended with exit code " +
                 std::to_string(rank.failed_init_code) + "; kubectl logs " + rank.memory.pod_name + " -c " +
                 rank.failed_init + " may say why; the job tries again, later each time");
}

std::string rule_path(const std::vector<api::PodFailureRule>& rules, std::size_t index) {
  const kube::Text& name = rules[index].name;
  return "spec.podFailurePolicy.rules[" + std::to_string(index) + "]" + (name.empty() ? "" : ", " + std::string(name));
}

std::string last_words(const Observation& seen, const Rank& rank) {
  const kube::ContainerStatus* trainer = trainer_status(seen, rank);
  const std::string line = trainer == nullptr ? std::string() : protocol::last_output_line(trainer->message);
  return line.empty() ? line : ", after it printed: " + line;
}

constexpr const char* kProbeFailed = ", ended by its kubelet: a probe or hook of it failed";

std::optional<Verdict> failed(const Observation& seen, const std::vector<Rank>& ranks) {
  std::optional<api::AttemptEnd> ignored;
  std::optional<api::AttemptEnd> counted;
  for (const Rank& rank : ranks) {
    if (rank.state != RankState::Failed) continue;
    if (is_install_failure(rank)) {
      if (!ignored) ignored = install_failed(seen, rank);
      continue;
    }
    const std::string trainer(trainer_name(seen, rank));
    const FailureJudgement judgement = judge_failure(seen.job->spec.pod_failure_rules, rank, trainer);
    const std::string& container = rank.failed_init.empty() ? trainer : rank.failed_init;
    const std::string what = rank.overfilled_disk
                                 ? how_disk_overflowed(rank) + last_words(seen, rank)
                                 : "pod " + rank.memory.pod_name + ", container " + container + ": exit code " +
                                       std::to_string(rank.exit_code()) + (rank.ended_by_kubelet ? kProbeFailed : "") +
                                       last_words(seen, rank);
    const std::string by_rule =
        judgement.rule ? " (" + rule_path(seen.job->spec.pod_failure_rules, *judgement.rule) + ")"
        : judgement.action == api::FailureAction::FailJob ? std::string(": the trainer asks not to be run again")
                                                          : std::string();
    switch (judgement.action) {
      case api::FailureAction::FailJob:
        return fails(seen, FailedBy::FailureRule, what + by_rule);
      case api::FailureAction::Ignore:
        if (!ignored) ignored = end(seen, AttemptEndCause::IgnoredFailure, "PodFailurePolicyIgnore", what + by_rule);
        break;
      case api::FailureAction::Count:
        if (!counted) counted = end(seen, AttemptEndCause::ApplicationFailure, "PodFailed", what + by_rule);
        break;
    }
  }
  return ends(counted ? std::move(counted) : std::move(ignored));
}

// Some systems that share GPUs are asked by annotations alone.
bool asks_for(const kube::Pod& pod, const api::GpuPool& pool) {
  const gpupool::GpuSharing sharing = gpupool::sharing_of(pool.spec.sharing);
  if (!sharing.unit_resources) return pod.resource_requests.contains(pool.status.resource_name);
  return std::ranges::all_of(*sharing.unit_resources,
                             [&](const auto& each) { return pod.resource_requests.contains(each.name); });
}

// Pods that wait for a node ask for what the pool offered when they were made; once it offers something else they
// would wait for ever.
std::optional<api::AttemptEnd> pool_changed(const Observation& seen, const std::vector<Rank>& ranks) {
  if (!seen.pool || seen.pool->status.resource_name.empty()) return std::nullopt;
  const api::TemplateContainer* trainer = training_container(*seen.job);
  if (trainer == nullptr || !trainer->limits.contains(kUnitResource)) return std::nullopt;
  for (const Rank& rank : ranks) {
    if (!rank.pod || !rank.memory.node_name.empty() || rank.pod->resource_requests.empty()) continue;
    if (!asks_for(*rank.pod, *seen.pool)) {
      return end(seen, AttemptEndCause::Outdated, "PoolChanged",
                 "GpuPool " + seen.pool->meta.name + " now offers " + seen.pool->status.resource_name + ", and pod " +
                     rank.memory.pod_name + " waits for something else");
    }
  }
  return std::nullopt;
}

// The capacity that pods without a node ask for is decided again as time passes. A gang of which one rank waits does
// not train.
std::optional<api::AttemptEnd> schedule_changed(const Observation& seen, const std::vector<Rank>& ranks) {
  const api::ResumableJobStatus& status = seen.job->status;
  const bool waits =
      std::ranges::any_of(ranks, [](const Rank& rank) { return rank.memory.node_name.empty() && !rank.ended(); });
  if (!seen.pool || !waits || status.ready_attempt == status.attempt) return std::nullopt;
  const auto& placement = status.placement;
  const kube::Text asked = placement ? placement->requested : kube::Text();
  // Nodes that are there are kept but where waiting for another one on spot would take too long.
  if (!none_has_a_node(ranks) && asked != api::name(api::CapacityType::Spot)) return std::nullopt;
  const kube::Text wanted = capacity_to_request(seen, seen.job->status);
  if (asked == wanted) return std::nullopt;
  const auto text = [](const kube::Text& capacity) { return capacity.empty() ? "any" : std::string(capacity); };
  return end(seen, AttemptEndCause::Outdated, "ScheduleChanged",
             "its pods wait for " + text(asked) + " capacity, and " + text(wanted) +
                 " is to be asked for: " + schedule_of(seen, seen.job->status).message);
}

// A claim that went, or gave its name to another one, before a rank had a node (from then on Kubernetes keeps it
// for the pod): whether it comes back, is made anew or was lost is for the next attempt to see.
std::optional<api::AttemptEnd> claim_gone(const Observation& seen, const std::vector<Rank>& ranks) {
  if (!none_has_a_node(ranks)) return std::nullopt;
  for (std::int32_t i = 0; i < claim_count(*seen.job); ++i) {
    const std::string name = claim_name(*seen.job, i);
    const auto found = seen.claims.find(name);
    if (found == seen.claims.end()) {
      return end(seen, AttemptEndCause::Outdated, "ClaimNotFound",
                 "PersistentVolumeClaim " + name + " has gone before a pod ran");
    }
    const bool another = std::ranges::any_of(seen.job->status.claims, [&](const api::ClaimStatus& expected) {
      return expected.name == name && expected.uid != found->second->meta.uid;
    });
    if (!another) continue;
    return end(seen, AttemptEndCause::Outdated, "ClaimReplaced",
               "PersistentVolumeClaim " + name + " is another object than when the attempt began");
  }
  return std::nullopt;
}

// Two jobs in queues that were admitted before one of them had the claim: what this one holds for nothing may be what
// the other one waits for, once it is evicted.
std::optional<api::AttemptEnd> claim_taken(const Observation& seen, const std::vector<Rank>& ranks) {
  if (!seen.kueue.workload || !all(ranks, RankState::NotCreated)) return std::nullopt;
  std::string kept = why_another_job_keeps_claims(seen);
  if (kept.empty()) return std::nullopt;
  return end(seen, AttemptEndCause::Outdated, "ClaimInUse", std::move(kept));
}

std::optional<api::AttemptEnd> cost_limit(const Observation& seen) {
  const auto reached = cost_limit_reached_at(seen.job->spec, seen.job->status);
  if (!reached || seen.now < *reached) return std::nullopt;
  return end(seen, AttemptEndCause::Suspended, "Suspended", max_cost_message(seen.job->spec));
}

bool all_ready(const std::vector<Rank>& ranks) {
  return std::ranges::all_of(ranks, [](const Rank& m) { return m.ready || m.state == RankState::Succeeded; });
}

}  // namespace

// Waiting for capacity costs nothing and a fresh pod would wait as long: only a gang of which some hold a node times
// out. By the operator's clock alone: pods are stamped by the API server's.
std::optional<kube::Time> starting_since(const Observation& seen, const std::vector<Rank>& ranks) {
  if (ranks.empty() || all_ready(ranks) || none_has_a_node(ranks)) return std::nullopt;
  return seen.job->status.starting_since.value_or(seen.now);
}

std::optional<api::AttemptEnd> hung(const Observation& seen, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.state != RankState::Hung) continue;
    return end(seen, AttemptEndCause::Hung, "TrainerHung",
               "pod " + rank.memory.pod_name + ": the trainer hung and was ended (spec.progressTimeoutSeconds): " +
                   (rank.record ? rank.record->message : std::string("its agent says no more")));
  }
  return std::nullopt;
}

std::optional<kube::Time> next_timeout(const Observation& seen, const std::vector<Rank>& ranks) {
  std::optional<kube::Time> next;
  if (const auto since = starting_since(seen, ranks)) {
    next = *since + kube::bounded_seconds(seen.job->spec.pods_ready_timeout_seconds);
  }
  const auto deadline = active_deadline(seen);
  if (deadline && (!next || *deadline < *next)) next = deadline;
  return next;
}

std::optional<kube::Time> active_deadline(const Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  if (!job.spec.active_deadline_seconds || !job.status.start_time || job.spec.suspend) return std::nullopt;
  return *job.status.start_time + kube::bounded_seconds(*job.spec.active_deadline_seconds);
}

bool past_active_deadline(const Observation& seen) {
  const auto deadline = active_deadline(seen);
  return deadline && seen.now >= *deadline;
}

std::string past_active_deadline_message(const Observation& seen) {
  return "the job has run for spec.activeDeadlineSeconds " +
         std::to_string(seen.job->spec.active_deadline_seconds.value_or(0));
}

std::string_view reason_of(FailedBy cause) {
  switch (cause) {
    case FailedBy::FailureRule:
      return "PodFailurePolicy";
    case FailedBy::BackoffLimit:
      return "BackoffLimitExceeded";
    case FailedBy::Deadline:
      return "DeadlineExceeded";
  }
  return {};
}

std::optional<Verdict> verdict(const Observation& seen, const std::vector<Rank>& ranks) {
  if (all(ranks, RankState::Succeeded)) {
    SilentEnd completed = how_it_completed(seen, ranks);
    return ends(end(seen, AttemptEndCause::Succeeded, std::move(completed.reason), std::move(completed.message)));
  }
  if (seen.job->spec.suspend) {
    return ends(end(seen, AttemptEndCause::Suspended, "Suspended", "spec.suspend is true"));
  }
  if (auto taken = quota_taken_away(seen)) {
    return ends(end(seen, AttemptEndCause::Suspended, "Evicted", *std::move(taken)));
  }
  if (auto result = ends(cost_limit(seen))) return result;
  if (auto result = interrupted(seen, ranks)) return result;
  if (auto result = ends(rejected(seen, ranks))) return result;
  if (auto result = ends(agent_did_not_start(seen, ranks))) return result;
  if (auto result = ends(no_common_step(seen, ranks))) return result;
  if (auto result = ends(hung(seen, ranks))) return result;
  if (auto result = hardware_failed(seen, ranks)) return result;
  if (auto result = failed(seen, ranks)) return result;
  if (auto result = ends(pool_changed(seen, ranks))) return result;
  if (auto result = ends(schedule_changed(seen, ranks))) return result;
  if (auto result = ends(claim_gone(seen, ranks))) return result;
  if (auto result = ends(claim_taken(seen, ranks))) return result;
  for (const Rank& rank : ranks) {
    if (rank.state == RankState::Checkpointed) {
      return ends(end(seen, AttemptEndCause::CheckpointedExit, "Checkpointed",
                      "pod " + rank.memory.pod_name + " ended with 85: checkpointed, run again"));
    }
  }
  if (past_active_deadline(seen)) {
    return fails(seen, FailedBy::Deadline, past_active_deadline_message(seen));
  }
  if (const auto since = starting_since(seen, ranks);
      since && seen.now >= *since + kube::bounded_seconds(seen.job->spec.pods_ready_timeout_seconds)) {
    return ends(end(seen, AttemptEndCause::PodsReadyTimeout, "PodsReadyTimeout",
                    "not all pods were ready within spec.podsReadyTimeoutSeconds " +
                        std::to_string(seen.job->spec.pods_ready_timeout_seconds)));
  }
  return std::nullopt;
}

}  // namespace reprise::controllers::resumablejob
