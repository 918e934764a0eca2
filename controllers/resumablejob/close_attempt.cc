#include "controllers/resumablejob/close_attempt.h"

#include <algorithm>

#include "controllers/resumablejob/accept_checkpoint.h"
#include "controllers/resumablejob/claim_reservation.h"
#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/verdict.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

// A pod on a machine that is gone stays as an object until the control plane tidies up. It still mounts the claim, but
// its end is proven: its uid is remembered, so that the next attempt need not wait for the object to go.
void remember_lingering(api::ResumableJobStatus& status, const std::vector<Member>& members) {
  for (const Member& member : members) {
    if (member.pod && may_still_run(*member.pod)) status.lingering_pods.push_back(member.memory.pod_uid);
  }
}

// A peer lost its machine: that explains why this member's trainer failed, whatever came to light first.
const Member* peer_that_lost_its_machine(const std::vector<Member>& members, const Member* failed) {
  for (const Member& member : members) {
    if (&member == failed || member.state == MemberState::Succeeded) continue;
    const bool machine =
        member.signal && member.signal->strength != interruption::Strength::Hint && !member.signal->node.empty();
    const bool gone =
        member.memory.proof == api::EndProof::MachineGone || member.memory.proof == api::EndProof::PersonConfirmed;
    if (machine || member.cut_off || gone) return &member;
  }
  return nullptr;
}

// Was this member's end asked for? Whoever asks ends the whole attempt, and a trainer that is stopped, or loses a peer
// that is, ends with whatever code it likes. (docs/decisions/0010-failures-after-a-stop.md)
bool asked_to_stop(const api::AttemptEnd& end, const Member& failed) {
  switch (end.cause) {
    case AttemptEndCause::Interruption:
      return true;
    case AttemptEndCause::CheckpointedExit:  // nobody asked the first one
      return failed.record && failed.record->asked;
    case AttemptEndCause::Succeeded:
    case AttemptEndCause::ApplicationFailure:
    case AttemptEndCause::Failed:
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

void become_interruption(Draft& draft, api::AttemptEnd& end, const Member& lost, const std::string& what) {
  end.cause = AttemptEndCause::Interruption;
  end.reason = lost.signal ? lost.signal->reason : "NodeLost";
  end.message =
      what + " because member " + std::to_string(lost.memory.index) + " lost its machine " + lost.memory.node_name;
  end.node = lost.memory.node_name;
  count_interruption(draft, end);
}

void count_failure(Draft& draft, api::AttemptEnd& end, const std::string& what) {
  ++draft.status().failures;
  if (draft.status().failures > draft.seen.job->spec.backoff_limit) {
    end.cause = AttemptEndCause::Failed;
    end.reason = "BackoffLimitExceeded";
    end.message = what + "; failures exceed spec.backoffLimit " + std::to_string(draft.seen.job->spec.backoff_limit);
  } else if (end.cause != AttemptEndCause::ApplicationFailure) {
    draft.announce(EventType::Warning, "PodFailed", "EndAttempt", what);
    end.cause = AttemptEndCause::ApplicationFailure;
  }
}

// What the members' failures make of the end: one that came after a stop, or that a lost peer explains, is none.
void judge_failures(Draft& draft, api::AttemptEnd& end, const std::vector<Member>& members) {
  const bool judged = end.cause == AttemptEndCause::Interruption || end.cause == AttemptEndCause::CheckpointedExit ||
                      end.cause == AttemptEndCause::ApplicationFailure;
  const auto failed = std::ranges::find_if(
      members, [](const Member& m) { return m.state == MemberState::Failed && !is_install_failure(m); });
  if (!judged || failed == members.end()) {
    if (end.cause != AttemptEndCause::ApplicationFailure) return;
    // By the time its peers have ended, an exit code such as 137 looks like an answer to their stop.
    const Member* lost = peer_that_lost_its_machine(members, nullptr);
    if (lost != nullptr)
      become_interruption(draft, end, *lost, end.message);
    else
      count_failure(draft, end, end.message);
    return;
  }
  const api::TemplateContainer* trainer = training_container(*draft.seen.job);
  const FailureJudgement judgement =
      judge_failure(draft.seen.job->spec.pod_failure_rules, *failed, trainer == nullptr ? "" : trainer->name);
  const std::string what =
      "pod " + failed->memory.pod_name + " ended with exit code " + std::to_string(failed->exit_code());
  if (judgement.action == api::FailureAction::FailJob) {
    ++draft.status().failures;
    end.cause = AttemptEndCause::Failed;
    end.reason = "PodFailurePolicy";
    end.message = what;
    return;
  }
  if (asked_to_stop(end, *failed)) {
    draft.announce(EventType::Normal, "PodFailed", "EndAttempt", what + " after it was asked to stop: not counted");
    return;
  }
  const Member* lost = peer_that_lost_its_machine(members, &*failed);
  if (lost != nullptr) {
    if (end.cause == AttemptEndCause::ApplicationFailure) become_interruption(draft, end, *lost, what);
    return;
  }
  if (judgement.action == api::FailureAction::Ignore) return;
  count_failure(draft, end, what);
}

// Whatever the reason was, such attempts follow each other as fast as machines are rented for them.
bool interrupted_before_it_ran(const Draft& draft, const api::AttemptEnd& end, const std::vector<Member>& members) {
  const bool was_ready = draft.plan.status.ready_attempt == end.attempt;
  return end.cause == AttemptEndCause::Interruption && !was_ready && std::ranges::none_of(members, [](const Member& m) {
           const bool started = m.last && m.last->any_container_started();
           return started || m.record || m.memory.exit_code || m.memory.finished || !m.memory.boot_id.empty();
         });
}

// A row of such attempts brings nothing either.
bool never_ran(const api::AttemptEnd& end) {
  return end.cause == AttemptEndCause::Rejected || end.cause == AttemptEndCause::NotInstalled;
}

void count_progress(Draft& draft, const api::AttemptEnd& end, const std::vector<Member>& members) {
  bool reported = end.cause == AttemptEndCause::CheckpointedExit || end.cause == AttemptEndCause::PodsReadyTimeout ||
                  never_ran(end) || interrupted_before_it_ran(draft, end, members);
  bool newer = false;
  for (const Member& member : members) {
    if (!member.record) continue;
    reported = true;
    if (member.state == MemberState::Refused) continue;  // it tells what is there; its trainer never ran
    const std::int64_t from = member.record->resumed_from.value_or(-1);
    // Where numbers contradict the order of completion, a lower one may be the newer.
    newer = newer || (member.record->step && (*member.record->step > from ||
                                              (!member.record->warning.empty() && *member.record->step != from)));
  }
  api::ResumableJobStatus& status = draft.status();
  if (newer) {
    status.attempts_without_progress = 0;
  } else if (reported) {
    ++status.attempts_without_progress;
  }
}

void count_losses(Draft& draft, const api::AttemptEnd& end, const std::vector<Member>& members) {
  api::ResumableJobStatus& status = draft.status();
  const bool interrupted = status.last_interruption && status.last_interruption->time == end.time;
  for (const Member& member : members) {
    if (!member.record) continue;
    if (interrupted) {
      status.last_interruption->asked = status.last_interruption->asked.value_or(false) || member.record->asked;
      status.last_interruption->saved = status.last_interruption->saved.value_or(false) || member.record->saved;
    }
    if (member.memory.index == 0 && member.record->checkpoint_time && end.time > *member.record->checkpoint_time) {
      status.lost_seconds +=
          std::chrono::duration_cast<std::chrono::seconds>(end.time - *member.record->checkpoint_time).count();
    }
  }
}

// What an agent has seen of the checkpoints that a person should mend, although training goes on.
void tell_warnings(Draft& draft, const std::vector<Member>& members) {
  for (const Member& member : members) {
    if (!member.record || member.record->warning.empty()) continue;
    const std::string& warning = member.record->warning;
    if (!said_before(draft, "CheckpointReady", "OutOfOrder"))
      draft.announce(EventType::Warning, "CheckpointsOutOfOrder", "EndAttempt", warning);
    draft.conditions.set_true("CheckpointReady", "OutOfOrder", warning);
    return;
  }
}

void go_on(Draft& draft, const api::AttemptEnd& end, std::chrono::seconds pause) {
  api::ResumableJobStatus& status = draft.status();
  draft.outlook.waits =
      Saying{"WaitForRecovery", "attempt " + std::to_string(end.attempt) + " has ended: " + end.message};
  if (status.attempts_without_progress >= kAttemptsWithoutProgress) {
    if (!is_true(draft.conditions.before(), "Stalled")) {
      draft.announce(EventType::Warning, "NoProgress", "EndAttempt",
                     std::to_string(status.attempts_without_progress) +
                         " attempts in a row brought no newer checkpoint; the last ended with " + end.reason + ": " +
                         end.message);
    }
    pause = std::max(pause, backoff(status.attempts_without_progress - kAttemptsWithoutProgress + 1));
  }
  if (pause > std::chrono::seconds(0)) status.retry_after = draft.seen.now + pause;
  draft.plan.wake_by(draft.seen.now + pause);
}

void stall_on_refusal(Draft& draft, const api::AttemptEnd& end, const std::vector<Member>& members) {
  if (end.reason != "CheckpointLost") return;
  api::LostCheckpoint lost{
      .attempt = end.attempt, .generation = draft.seen.job->meta.generation, .offered_step = {}, .message = {}};
  std::string message = "agent: " + end.message;
  for (const Member& member : members) {
    if (!member.record || member.record->reason != end.reason || !member.record->step) continue;
    lost.offered_step = member.record->step;
    message += "; to go on from step " + std::to_string(*member.record->step) +
               " and give up what came after it: " + how_to_accept(*draft.seen.job, member.record->step);
    break;
  }
  draft.outlook.stalled = Saying{"CheckpointLost", message};
  lost.message = std::move(message);
  draft.status().checkpoint_lost = std::move(lost);
  draft.conditions.set_false("CheckpointReady", "CheckpointLost", end.message);
}

}  // namespace

void close_attempt(Draft& draft, api::AttemptEnd end, const std::vector<Member>& members) {
  api::ResumableJobStatus& status = draft.status();
  judge_failures(draft, end, members);
  count_progress(draft, end, members);
  count_losses(draft, end, members);
  tell_warnings(draft, members);
  remember_lingering(status, members);
  status.members.clear();
  status.attempt_end.reset();
  status.starting_since.reset();
  status.active = 0;
  status.last_end = end;
  switch (end.cause) {
    case AttemptEndCause::Succeeded:
      finish_job(draft, end);
      drop_standby(draft);
      return;
    case AttemptEndCause::Failed:
      finish_job(draft, end);
      drop_standby(draft);
      return;
    case AttemptEndCause::Suspended:
    case AttemptEndCause::Deleted:
      stop_clock(draft);
      draft.outlook.suspended = Saying{"Suspended", "spec.suspend is true"};
      draft.outlook.waits = Saying{"Suspended", "the job is suspended"};
      draft.plan.wake_by(draft.seen.now);
      return;
    case AttemptEndCause::Interruption:
      if (at_interruption_limit(draft)) {
        suspend_at_limit(draft);
      } else {
        go_on(draft, end, std::chrono::seconds(0));
      }
      return;
    case AttemptEndCause::CheckpointedExit:
      go_on(draft, end, backoff(status.attempts_without_progress));
      return;
    case AttemptEndCause::ApplicationFailure:
      go_on(draft, end, backoff(status.failures));
      return;
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
      go_on(draft, end, backoff(status.attempts_without_progress));
      return;
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Outdated:
      go_on(draft, end, backoff(1));
      return;
    case AttemptEndCause::Refused:
      go_on(draft, end, backoff(1));
      stall_on_refusal(draft, end, members);
      return;
    case AttemptEndCause::PodsReadyTimeout:
      go_on(draft, end, backoff(std::max(status.attempts_without_progress, 1)));
      return;
  }
}

}  // namespace reprise::controllers::resumablejob
