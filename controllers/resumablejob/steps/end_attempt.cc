#include <algorithm>
#include <limits>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/ends/ended_time.h"
#include "controllers/resumablejob/pods/pod_builder.h"
#include "controllers/resumablejob/ranks/fitting.h"
#include "controllers/resumablejob/ranks/own_node_claim.h"
#include "controllers/resumablejob/ranks/proof.h"
#include "controllers/resumablejob/steps/close_attempt.h"
#include "controllers/resumablejob/steps/full_volume.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

// The pod must be gone before its node is.
constexpr std::chrono::seconds kNoticeMargin{5};
// A kubelet that has not reported an end this long after the grace ran out is not going to.
constexpr std::chrono::seconds kKubeletTimeout{30};
// A person may take days, and a place that is held is paid for.
constexpr std::chrono::minutes kLongestHold{10};

// True when its log may be wanted.
bool keeps_pod(const Observation& seen, AttemptEndCause cause, const kube::Pod& ended) {
  switch (cause) {
    case AttemptEndCause::Succeeded:
    case AttemptEndCause::Failed:
      return true;  // its pods go with the job
    case AttemptEndCause::ApplicationFailure:
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::VolumeFull:
      return is_kept_failure(seen, ended);
    case AttemptEndCause::Interruption:
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::Hung:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::PodsReadyTimeout:
    case AttemptEndCause::Deleted:
      return false;
  }
  return false;
}

// How long the node had when the end was written, less the time for which this process knows of it: the one that
// wrote it may have had another clock.
std::optional<std::int64_t> grace_left(const PlanBuilder& builder, const api::AttemptEnd& end) {
  if (!end.deadline) return std::nullopt;
  const auto known_for = builder.seen.now - builder.seen.since(Waiting::ForTheNode, std::to_string(end.attempt));
  const auto left =
      std::chrono::duration_cast<std::chrono::seconds>(*end.deadline - end.time - known_for - kNoticeMargin);
  const std::int64_t own = rank_grace_seconds(builder.seen);
  // Either the node goes at any moment, whatever grace the pod gets, or this clock is ahead of the one that set the
  // deadline, and the trainer would be killed in the middle of its save.
  if (*end.deadline <= end.time) return own;
  return std::clamp<std::int64_t>(left.count(), 1, own);
}

// Nobody there obeys any grace, and Karpenter waits for the pod until a minute after its deletionTimestamp before it
// ends the machine: with the pool's longest grace that would be eleven minutes.
constexpr std::int64_t kLeastGrace = 1;

bool is_on_silent_machine(const Observation& seen, const Rank& rank) {
  const kube::PodCondition* ready = rank.node ? rank.node->condition("Ready") : nullptr;
  const bool silent = ready != nullptr && ready->status == "Unknown";  // a kubelet that is not ready yet speaks, obeys
  return silent && rank.node_claim && is_own_node_claim(seen, *rank.node_claim);
}

// A pod without a node is gone with its deletion, and what nobody has written down of it as well: that it can never run
// is made visible first (proof.cc), and written with the status.
void stop_pod(PlanBuilder& builder, const api::AttemptEnd& end, const Rank& rank) {
  if (!rank.pod) return;
  const bool silent = is_on_silent_machine(builder.seen, rank);
  if (rank.pod->meta.deletion_timestamp) {
    const bool sooner = rank.pod->meta.deletion_grace_period_seconds.value_or(kLeastGrace) > kLeastGrace;
    if (silent && sooner) builder.delete_pod(*rank.pod, kLeastGrace);
    return;
  }
  if (rank.pod->all_containers_terminated() && keeps_pod(builder.seen, end.cause, *rank.pod)) return;
  if (rank.pod->node_name.empty() && !is_marked_failed(*rank.pod)) {
    builder.plan.actions.emplace_back(
        MarkPodFailed{rank.memory.pod_name, rank.memory.pod_uid, rank.pod->meta.resource_version});
    return;
  }
  builder.delete_pod(*rank.pod, silent ? kLeastGrace : grace_left(builder, end));
}

// True when a pod is past its grace and still unreported: as good as a node that does not answer. By the clock of the
// process that has watched it all the while: a node that is saving must not be taken for silent because two clocks
// differ.
bool overdue(PlanBuilder& builder, const Rank& rank) {
  if (!rank.pod || !rank.pod->meta.deletion_timestamp) return false;
  const std::chrono::seconds grace =
      kube::bounded_seconds(rank.pod->termination_grace_period_seconds.value_or(rank_grace_seconds(builder.seen)));
  const kube::Time late = builder.seen.since(Waiting::ForTheEnd, rank.pod->meta.uid) + grace + kKubeletTimeout;
  if (builder.seen.now >= late) return true;
  builder.plan.wake_by(late);
  return false;
}

// True when the kubelet's report is not to be expected; then the cloud is asked to end the node, if it is the job's
// own pool's.
bool fence_silent_node(PlanBuilder& builder, const Rank& rank) {
  const bool silent = !rank.pod || overdue(builder, rank) || !kubelet_will_tell(builder.seen, rank);
  if (!silent) return false;
  if (is_others_node(builder.seen, rank)) return true;
  const bool own = rank.node_claim && is_own_node_claim(builder.seen, *rank.node_claim);
  if (own && !rank.node_claim->meta.deletion_timestamp) {
    builder.plan.actions.emplace_back(DeleteNodeClaim{rank.node_claim->meta.name, rank.node_claim->meta.uid,
                                                      builder.seen.pool->meta.name, builder.seen.pool->meta.uid});
    builder.announce(
        EventType::Warning, "FencingNode", "DeleteNodeClaim",
        "NodeClaim " + rank.node_claim->meta.name + " is asked to go: " + missing_proof(builder.seen, rank));
  }
  return true;
}

// A request may be under way for this long after its sender has died: twice what this operator's clients wait for an
// answer, and what the API server lets one take at the most (--request-timeout). Its pod would be one of an attempt
// that is closed, beside those of the next.
constexpr std::chrono::seconds kLongestRequest{60};

bool may_still_get_its_pod(PlanBuilder& builder, const Rank& rank) {
  if (rank.state != RankState::NotCreated || !builder.seen.pods_may_come) return false;
  const std::string attempt = std::to_string(builder.status().attempt);
  const kube::Time until = builder.seen.since(Waiting::ForLatePods, attempt) + kLongestRequest;
  if (builder.seen.now >= until) return false;
  builder.plan.wake_by(until);
  return true;
}

// True when the cloud is asked to end its machine, so that its end will be known.
bool is_being_ended(const Observation& seen, const Rank& rank) {
  return rank.node_claim && is_own_node_claim(seen, *rank.node_claim) && !is_others_node(seen, rank);
}

void say_what_is_awaited(PlanBuilder& builder, const api::AttemptEnd& end, const std::string& unfenced) {
  builder.outlook.reconciling = Saying{"Ending", "attempt " + std::to_string(end.attempt) + " is ending"};
  if (!unfenced.empty()) {
    const std::string message = "the next attempt cannot start: " + unfenced;
    if (!said_before(builder, "PodsReady", "WriterNotFenced")) {
      builder.announce(EventType::Warning, "WriterNotFenced", "Fence", message);
    }
    builder.outlook.waits = Saying{"WriterNotFenced", message};
    return;
  }
  const std::string_view reason = end.cause == AttemptEndCause::Suspended   ? "Suspended"
                                  : end.cause == AttemptEndCause::Succeeded ? "Finishing"
                                                                            : "WaitForRecovery";
  builder.outlook.waits =
      Saying{std::string(reason), "attempt " + std::to_string(end.attempt) + " is ending: " + end.message};
}

// Places for the next attempt, for as long as it is going to come without anybody's help.
void hold_for_the_next(PlanBuilder& builder, const std::vector<Rank>& ranks, bool needs_a_person) {
  const Observation& seen = builder.seen;
  if (seen.job->spec.suspend) return drop_standby(builder);
  const auto& end = *builder.status().attempt_end;
  const kube::Time until = seen.since(Waiting::ForTheNode, std::to_string(end.attempt)) + kLongestHold;
  if (needs_a_person && seen.now >= until) return drop_standby(builder);
  if (needs_a_person) builder.plan.wake_by(until);
  if (end.cause == AttemptEndCause::Interruption) hold_places(builder, ranks);
  keep_nodes(builder, ranks);
}

// Other causes fail the job without one of its pods having failed.
bool is_failure_of_a_pod(std::optional<FailedBy> cause) {
  if (!cause) return false;
  switch (*cause) {
    case FailedBy::FailureRule:
    case FailedBy::BackoffLimit:
      return true;
    case FailedBy::Deadline:
      return false;
  }
  return false;
}

api::InterruptionCount& count_of(std::string_view reason, std::vector<api::InterruptionCount>& counts) {
  const auto find = [&](std::string_view wanted) {
    return std::ranges::find_if(counts, [&](const auto& each) { return each.reason == wanted; });
  };
  if (const auto found = find(reason); found != counts.end()) return *found;
  if (counts.size() < kMostReasons - 1) return counts.emplace_back(api::InterruptionCount{kube::Text(reason)});
  if (const auto other = find(kOtherReason); other != counts.end()) return *other;
  if (counts.size() < kMostReasons) return counts.emplace_back(api::InterruptionCount{kube::Text(kOtherReason)});
  counts.back().reason = kOtherReason;  // from an operator that counted 32 reasons
  return counts.back();
}

}  // namespace

void count_interruption(PlanBuilder& builder, const api::AttemptEnd& end, std::optional<kube::Time> signal_time) {
  api::ResumableJobStatus& status = builder.status();
  ++count_of(end.reason, status.interruptions).count;
  ++status.interruption_count;
  api::LastInterruption last;
  last.time = end.time;
  last.reason = end.reason;
  last.node = end.node;
  last.signal_time = signal_time;
  if (end.deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(*end.deadline - end.time).count();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    last.notice_seconds = static_cast<std::int32_t>(std::clamp<std::int64_t>(left, 0, most));
  }
  status.last_interruption = std::move(last);
  builder.announce(EventType::Warning, "Interrupted", "EndAttempt", end.reason + ": " + end.message);
}

void count_as_planned(api::ResumableJobStatus& status, const api::AttemptEnd& end) {
  ++status.planned_interruptions;
  status.last_planned_time = end.time;
}

void record_verdict(PlanBuilder& builder, const Verdict& reached) {
  const api::AttemptEnd& end = reached.end;
  api::ResumableJobStatus& status = builder.status();
  status.attempt_end = end;
  switch (end.cause) {
    case AttemptEndCause::Interruption:
      count_interruption(builder, end, reached.signal_time);
      if (reached.is_planned) count_as_planned(status, end);
      break;
    case AttemptEndCause::ApplicationFailure:
      // Counted when the attempt is closed: by then it may have turned out that a peer had lost its node.
      builder.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::Failed:
      if (is_failure_of_a_pod(reached.failed_by)) ++status.failures;
      builder.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::VolumeFull:
    case AttemptEndCause::Hung:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::PodsReadyTimeout:
      builder.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::Deleted:
      builder.announce(EventType::Normal, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::Succeeded:
      break;  // said once, when the job is complete
  }
}

void end_attempt(PlanBuilder& builder, std::vector<Rank> ranks) {
  delete_orphans(builder);
  std::string unfenced;
  bool all_proven = true, needs_a_person = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Rank& rank = ranks[i];
    stop_pod(builder, *builder.status().attempt_end, rank);
    if (may_still_get_its_pod(builder, rank)) all_proven = false;
    if (rank.state == RankState::NotCreated) continue;  // there is nothing that could write
    remember_end(builder.seen, rank);
    builder.status().members[i] = rank.memory;
    if (rank.memory.proof != api::EndProof::None) continue;
    all_proven = false;
    if (!fence_silent_node(builder, rank)) continue;
    if (unfenced.empty()) unfenced = missing_proof(builder.seen, rank);
    if (!is_being_ended(builder.seen, rank)) needs_a_person = true;
  }
  note_lost_peer(builder, ranks);
  note_full_volume(builder, ranks);
  const api::AttemptEnd end = *builder.status().attempt_end;
  builder.status().active =
      static_cast<std::int32_t>(std::ranges::count_if(ranks, [](const Rank& m) { return m.pod && !m.ended(); }));
  builder.status().ready = 0;
  if (all_proven) return close_attempt(builder, end, ranks);
  hold_for_the_next(builder, ranks, needs_a_person);
  say_what_is_awaited(builder, end, unfenced);
}

}  // namespace reprise::controllers::resumablejob
