#include <algorithm>

#include "controllers/resumablejob/blueprint.h"
#include "controllers/resumablejob/close_attempt.h"
#include "controllers/resumablejob/own_machine.h"
#include "controllers/resumablejob/phases.h"
#include "controllers/resumablejob/proof.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

// The pod must be gone before its machine is.
constexpr std::chrono::seconds kNoticeMargin{5};
// A kubelet that has not reported an end this long after the grace ran out is not going to.
constexpr std::chrono::seconds kKubeletPatience{30};

bool keeps_pods(AttemptEndCause cause) {
  switch (cause) {
    case AttemptEndCause::Succeeded:
    case AttemptEndCause::Failed:
      return true;  // their logs are wanted; they go with the job
    case AttemptEndCause::Interruption:
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::ApplicationFailure:
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::PodsReadyTimeout:
    case AttemptEndCause::Deleted:
      return false;
  }
  return false;
}

// How long the machine had when the end was written, less the time for which this process knows of it: the one that
// wrote it may have had another clock.
std::optional<std::int64_t> grace_left(const Draft& draft, const api::AttemptEnd& end) {
  if (!end.deadline) return std::nullopt;
  const auto known_for = draft.seen.now - draft.seen.since(Waiting::ForTheMachine, std::to_string(end.attempt));
  const auto left =
      std::chrono::duration_cast<std::chrono::seconds>(*end.deadline - end.time - known_for - kNoticeMargin);
  const std::int64_t own = member_grace_seconds(draft.seen);
  // Either the machine goes at any moment, whatever the pod is told, or this clock is ahead of the one that set the
  // deadline, and the trainer would be killed in the middle of its save.
  if (*end.deadline <= end.time) return own;
  return std::clamp<std::int64_t>(left.count(), 1, own);
}

// A pod without a node is gone with its deletion, and what nobody has written down of it as well: that it can never run
// is made visible first (proof.cc), and written with the status.
void stop_pod(Draft& draft, const api::AttemptEnd& end, const Member& member) {
  if (!member.pod || member.pod->meta.deletion_timestamp) return;
  if (member.pod->all_containers_terminated() && keeps_pods(end.cause)) return;
  if (member.pod->node_name.empty() && !is_withdrawn(*member.pod)) {
    draft.plan.actions.emplace_back(
        WithdrawPod{member.memory.pod_name, member.memory.pod_uid, member.pod->meta.resource_version});
    return;
  }
  draft.delete_pod(*member.pod, grace_left(draft, end));
}

// Past its grace and still unreported: as good as a machine that does not answer. By the clock of the process that has
// watched it all the while: a machine that is saving must not be taken for silent because two clocks differ.
bool overdue(Draft& draft, const Member& member) {
  if (!member.pod || !member.pod->meta.deletion_timestamp) return false;
  const std::chrono::seconds grace(
      member.pod->termination_grace_period_seconds.value_or(member_grace_seconds(draft.seen)));
  const kube::Time late = draft.seen.since(Waiting::ForTheEnd, member.pod->meta.uid) + grace + kKubeletPatience;
  if (draft.seen.now >= late) return true;
  draft.plan.wake_by(late);
  return false;
}

// True when the kubelet's word is not to be expected; then the cloud is asked to end the machine, if it is the job's
// own pool's.
bool fence_silent_machine(Draft& draft, const Member& member) {
  const bool silent = !member.pod || overdue(draft, member) || !kubelet_will_tell(draft.seen, member);
  if (!silent) return false;
  const bool own = member.node_claim && is_own_machine(draft.seen, *member.node_claim);
  if (own && !member.node_claim->meta.deletion_timestamp) {
    draft.plan.actions.emplace_back(DeleteNodeClaim{member.node_claim->meta.name, member.node_claim->meta.uid,
                                                    draft.seen.pool->meta.name, draft.seen.pool->meta.uid});
    draft.announce(
        EventType::Warning, "FencingNode", "DeleteNodeClaim",
        "NodeClaim " + member.node_claim->meta.name + " is asked to go: " + missing_proof(draft.seen, member));
  }
  return true;
}

void say_what_is_awaited(Draft& draft, const api::AttemptEnd& end, const std::string& unfenced) {
  draft.outlook.reconciling = Saying{"Ending", "attempt " + std::to_string(end.attempt) + " is ending"};
  if (!unfenced.empty()) {
    const std::string message = "the next attempt cannot start: " + unfenced;
    if (!said_before(draft, "PodsReady", "WriterNotFenced")) {
      draft.announce(EventType::Warning, "WriterNotFenced", "Fence", message);
    }
    draft.outlook.waits = Saying{"WriterNotFenced", message};
    return;
  }
  const std::string_view reason = end.cause == AttemptEndCause::Suspended   ? "Suspended"
                                  : end.cause == AttemptEndCause::Succeeded ? "Finishing"
                                                                            : "WaitForRecovery";
  draft.outlook.waits =
      Saying{std::string(reason), "attempt " + std::to_string(end.attempt) + " is ending: " + end.message};
}

}  // namespace

void count_interruption(Draft& draft, const api::AttemptEnd& end) {
  api::ResumableJobStatus& status = draft.status();
  auto found = std::ranges::find_if(status.interruptions, [&](const auto& c) { return c.reason == end.reason; });
  if (found == status.interruptions.end()) {
    status.interruptions.push_back({end.reason, 0});
    found = std::prev(status.interruptions.end());
  }
  ++found->count;
  ++status.interruption_count;
  api::LastInterruption last;
  last.time = end.time;
  last.reason = end.reason;
  last.node = end.node;
  if (end.deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(*end.deadline - end.time).count();
    last.notice_seconds = static_cast<std::int32_t>(std::max<std::int64_t>(left, 0));
  }
  status.last_interruption = std::move(last);
  draft.announce(EventType::Warning, "Interrupted", "EndAttempt", end.reason + ": " + end.message);
}

void record_verdict(Draft& draft, const api::AttemptEnd& end, const std::vector<Member>&) {
  api::ResumableJobStatus& status = draft.status();
  status.attempt_end = end;
  switch (end.cause) {
    case AttemptEndCause::Interruption:
      count_interruption(draft, end);
      break;
    case AttemptEndCause::ApplicationFailure:
      // Counted when the attempt is closed: by then it may have turned out that a peer had lost its machine.
      draft.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::Failed:
      if (end.reason == "PodFailurePolicy") ++status.failures;
      draft.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::PodsReadyTimeout:
      draft.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::Deleted:
      draft.announce(EventType::Normal, end.reason, "EndAttempt", end.message);
      break;
    case AttemptEndCause::Succeeded:
      break;  // said once, when the job is complete
  }
}

void end_attempt(Draft& draft, std::vector<Member> members) {
  const api::AttemptEnd end = *draft.status().attempt_end;
  delete_strays(draft);
  std::string unfenced;
  bool all_proven = true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Member& member = members[i];
    stop_pod(draft, end, member);
    if (member.state == MemberState::NotCreated) continue;  // there is nothing that could write
    member.memory.proof = proof_of_end(draft.seen, member);
    draft.status().members[i].proof = member.memory.proof;
    if (member.memory.proof != api::EndProof::None) continue;
    all_proven = false;
    if (fence_silent_machine(draft, member) && unfenced.empty()) unfenced = missing_proof(draft.seen, member);
  }
  draft.status().active =
      static_cast<std::int32_t>(std::ranges::count_if(members, [](const Member& m) { return m.pod && !m.ended(); }));
  draft.status().ready = 0;
  if (all_proven) return close_attempt(draft, end, members);
  if (end.cause == AttemptEndCause::Interruption && !draft.seen.job->spec.suspend) hold_places(draft, members);
  say_what_is_awaited(draft, end, unfenced);
}

}  // namespace reprise::controllers::resumablejob
