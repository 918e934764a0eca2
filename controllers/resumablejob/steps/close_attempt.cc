#include "controllers/resumablejob/steps/close_attempt.h"

#include <algorithm>

#include "controllers/common/gpu_health.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/claims/lost_checkpoint.h"
#include "controllers/resumablejob/ends/ended_time.h"
#include "controllers/resumablejob/ends/judge_failure.h"
#include "controllers/resumablejob/ends/pauses.h"
#include "controllers/resumablejob/ends/start_failure.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/leaving_nodes.h"
#include "controllers/resumablejob/ranks/verdict.h"
#include "controllers/resumablejob/status/told_checkpoint.h"
#include "controllers/resumablejob/steps/full_volume.h"
#include "controllers/resumablejob/steps/schedule.h"

namespace reprise::controllers::resumablejob {
namespace {

using api::AttemptEndCause;

// A pod on a node that is gone stays as an object until the control plane tidies up. It still mounts the claim, but
// its end is proven: its uid is remembered, so that the next attempt need not wait for the object to go.
void remember_lingering(api::ResumableJobStatus& status, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.pod && may_still_run(*rank.pod)) status.lingering_pods.push_back(rank.memory.pod_uid);
  }
}

const Rank* first_failure(const std::vector<Rank>& ranks) {
  const auto failed =
      std::ranges::find_if(ranks, [](const Rank& m) { return m.state == RankState::Failed && !is_install_failure(m); });
  return failed == ranks.end() ? nullptr : &*failed;
}

std::string how_it_failed(const Rank& failed) {
  if (failed.overfilled_disk) return how_disk_overflowed(failed);
  return "pod " + failed.memory.pod_name + " ended with exit code " + std::to_string(failed.exit_code());
}

bool lost_its_node(const Rank& rank) {
  if (rank.state == RankState::Succeeded || rank.state == RankState::Hung) return false;
  const bool going = rank.signal && rank.signal->strength != interruption::Strength::Hint && !rank.signal->node.empty();
  const bool gone =
      rank.memory.proof == api::EndProof::MachineGone || rank.memory.proof == api::EndProof::PersonConfirmed;
  return going || rank.cut_off || gone;
}

// True when its kubelet had told its end before this pass. The end of its node since then is no loss: it is idle while
// slower peers save, and whoever rents it gives it back.
bool had_ended_before(const Observation& seen, const Rank& rank) {
  return std::ranges::any_of(seen.job->status.members, [&](const api::RankStatus& each) {
    return each.index == rank.memory.index && each.proof == api::EndProof::KubeletReport;
  });
}

// True when this rank was requested to stop. A request to stop ends the whole attempt, and a trainer that is stopped,
// or loses a peer that is, ends with whatever code it likes. (docs/decisions/attempts/0010-failure-after-stop.md)
bool was_to_stop(const api::AttemptEnd& end, const Rank& failed) {
  switch (end.cause) {
    case AttemptEndCause::Interruption:
      return true;
    case AttemptEndCause::CheckpointedExit:  // nobody requested it of the first one
      return failed.record && failed.record->stop_requested && !failed.overfilled_disk;
    case AttemptEndCause::Succeeded:
    case AttemptEndCause::ApplicationFailure:
    case AttemptEndCause::Failed:
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::Hung:
    case AttemptEndCause::VolumeFull:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::PodsReadyTimeout:
    case AttemptEndCause::Deleted:
      return false;
  }
  return false;
}

constexpr std::string_view kBecauseOfRank = " because rank ";

std::string because_of(const std::string& what, const Rank& lost) {
  return what + std::string(kBecauseOfRank) + std::to_string(lost.memory.index) + " lost its node " +
         lost.memory.node_name;
}

void become_interruption(PlanBuilder& builder, api::AttemptEnd& end, const Rank& lost, const std::string& what) {
  end.cause = AttemptEndCause::Interruption;
  end.reason = lost.signal ? lost.signal->reason : "NodeLost";
  end.message = because_of(what, lost);
  end.node = lost.memory.node_name;
  count_interruption(builder, end, lost.signal ? lost.signal->since : std::nullopt);
  if (lost.signal && lost.signal->is_planned) count_as_planned(builder.status(), end);
}

void count_failure(PlanBuilder& builder, api::AttemptEnd& end, const std::string& what) {
  ++builder.status().failures;
  if (builder.status().failures > builder.seen.job->spec.backoff_limit) {
    end.cause = AttemptEndCause::Failed;
    end.reason = reason_of(FailedBy::BackoffLimit);
    end.message = what + "; failures exceed spec.backoffLimit " + std::to_string(builder.seen.job->spec.backoff_limit);
  } else if (end.cause != AttemptEndCause::ApplicationFailure) {
    builder.announce(EventType::Warning, "PodFailed", "EndAttempt", what);
    end.cause = AttemptEndCause::ApplicationFailure;
  }
}

// A rank that hangs is ended before the operator hears of it, and its peers fail in between.
bool become_hung(PlanBuilder& builder, api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  if (end.cause != AttemptEndCause::ApplicationFailure) return false;
  auto found = hung(builder.seen, ranks);
  if (!found) return false;
  found->time = end.time;
  end = *std::move(found);
  builder.announce(EventType::Warning, end.reason, "EndAttempt", end.message);
  return true;
}

// Judges what the ranks' failures make of the end: one that came after a stop, or that a lost peer explains, is none.
void judge_failures(PlanBuilder& builder, api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  if (become_hung(builder, end, ranks)) return;
  const bool judged = end.cause == AttemptEndCause::Interruption || end.cause == AttemptEndCause::CheckpointedExit ||
                      end.cause == AttemptEndCause::ApplicationFailure || end.cause == AttemptEndCause::VolumeFull;
  const Rank* failed = first_failure(ranks);
  if (!judged || failed == nullptr) {
    if (become_full_volume(end, builder.seen, ranks)) return;
    // By the time its peers have ended, an exit code such as 137 looks like an answer to their stop.
    if (end.cause == AttemptEndCause::ApplicationFailure) count_failure(builder, end, end.message);
    return;
  }
  // The exit code of a trainer on broken GPUs does not matter.
  const bool is_interrupted = end.cause == AttemptEndCause::Interruption;
  if (is_interrupted && failed->node && gpu_fault(*failed->node, builder.seen.pool.get())) return;
  const FailureJudgement judgement =
      judge_failure(builder.seen.job->spec.pod_failure_rules, *failed, trainer_name(builder.seen, *failed));
  const std::string what = how_it_failed(*failed);
  if (judgement.action == api::FailureAction::FailJob) {
    ++builder.status().failures;
    builder.status().volume_full.reset();
    end.cause = AttemptEndCause::Failed;
    end.reason = reason_of(FailedBy::FailureRule);
    end.message = what;
    return;
  }
  if (end.cause == AttemptEndCause::VolumeFull) return;
  if (was_to_stop(end, *failed)) {
    const bool asked = !end.message.starts_with(what + std::string(kBecauseOfRank));
    if (asked)
      builder.announce(EventType::Normal, "PodFailed", "EndAttempt", what + " after it was asked to stop: not counted");
    return;
  }
  const bool explained =
      end.cause == AttemptEndCause::CheckpointedExit &&
      std::ranges::any_of(ranks, [&](const Rank& each) { return &each != failed && lost_its_node(each); });
  if (!explained && become_full_volume(end, builder.seen, ranks)) return;
  if (explained || judgement.action == api::FailureAction::Ignore) return;
  count_failure(builder, end, what);
}

bool has_started(const Rank& m) {
  const bool started = m.last && m.last->any_container_started();
  return started || m.record || m.memory.exit_code || m.memory.finished || !m.memory.boot_id.empty();
}

bool was_ready(const PlanBuilder& builder, const api::AttemptEnd& end) {
  return builder.plan.status.ready_attempt == end.attempt;
}

// Such attempts follow each other as fast as nodes are rented for them, whatever the reason was.
bool interrupted_before_it_ran(const PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  return end.cause == AttemptEndCause::Interruption && !was_ready(builder, end) &&
         std::ranges::none_of(ranks, has_started);
}

// A row of such attempts brings nothing either.
bool never_ran(const api::AttemptEnd& end) {
  return end.cause == AttemptEndCause::Rejected || end.cause == AttemptEndCause::NotInstalled;
}

// The trainer had no chance: its machine, or the quota, was taken before a third of the time in which a save is due. By
// one clock; a trainer that may have trained for longer while nobody looked counts as if it had.
bool was_cut_short(const PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  const bool taken = end.cause == AttemptEndCause::Suspended ||
                     (end.cause == AttemptEndCause::Interruption && std::ranges::any_of(ranks, lost_its_node));
  if (!taken) return false;
  // A gang of which one never came trains nothing, however long the others waited.
  if (!was_ready(builder, end) && !std::ranges::all_of(ranks, has_started)) return true;
  const api::ResumableJobStatus& status = builder.plan.status;
  const auto& since = was_ready(builder, end) ? status.ready_time
                      : status.starting_since ? status.starting_since
                                              : status.attempt_start_time;
  const auto period = kube::bounded_seconds(builder.seen.job->spec.checkpoint.period_seconds);
  return since && (end.time - *since) * kAttemptsWithoutProgress < period;
}

// True when a rank has reported in this attempt. One that reports nothing may have saved all the same.
bool has_reported(const api::ResumableJobStatus& status) {
  const auto heard = status.progress ? status.progress->last_updated_time : std::nullopt;
  return heard && status.attempt_start_time && *heard >= *status.attempt_start_time;
}

// True when a save of this attempt was reported, or one of the attempt before it that this one found.
bool reported_a_save(const api::ResumableJobStatus& status) {
  const auto saved = status.progress && status.progress->checkpoint ? status.progress->checkpoint->time : std::nullopt;
  return saved && status.attempt_start_time && *saved > *status.attempt_start_time;
}

void count_progress(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  bool reported = end.cause == AttemptEndCause::CheckpointedExit || end.cause == AttemptEndCause::PodsReadyTimeout ||
                  never_ran(end) || interrupted_before_it_ran(builder, end, ranks);
  api::ResumableJobStatus& status = builder.status();
  std::size_t saved = 0;
  for (const Rank& rank : ranks) {
    if (!rank.record) continue;
    reported = true;
    if (rank.state == RankState::Refused) continue;  // its record tells what is there; its trainer never ran
    if (has_saved(builder.seen, status, ranks, rank)) ++saved;
  }
  // On volumes of their own, a save serves nobody unless all ranks have it; where a rank leaves no record the next list
  // tells of it (common_step.cc).
  if (has_volume_each(*builder.seen.job) ? saved == ranks.size() : saved > 0) {
    status.attempts_without_progress = 0;
    status.attempts_cut_short = 0;
  } else if (reported && end.cause != AttemptEndCause::VolumeFull) {  // a person mends that
    ++status.attempts_without_progress;
    if (was_cut_short(builder, end, ranks)) ++status.attempts_cut_short;
  } else if (end.cause == AttemptEndCause::Interruption) {
    // Machines that vanish leave no word of what was saved there but what ranks have reported.
    if (reported_a_save(status)) {
      status.attempts_without_progress = 0;
      status.attempts_cut_short = 0;
    } else if (has_reported(status)) {
      ++status.attempts_without_progress;
      ++status.attempts_cut_short;
    }
  }
}

void count_losses(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  api::ResumableJobStatus& status = builder.status();
  const bool interrupted = status.last_interruption && status.last_interruption->time == end.time;
  if (interrupted) status.last_interruption->ended_time = ended_time(ranks);
  for (const Rank& rank : ranks) {
    if (!rank.record) continue;
    if (interrupted) {
      status.last_interruption->asked = status.last_interruption->asked.value_or(false) || rank.record->stop_requested;
      status.last_interruption->saved =
          has_volume_each(*builder.seen.job)
              ? std::ranges::all_of(ranks, [](const Rank& each) { return each.record && each.record->saved; })
              : status.last_interruption->saved.value_or(false) || rank.record->saved;
    }
    const bool newer = has_saved(builder.seen, status, ranks, rank);
    if (rank.memory.index == 0 && rank.record->checkpoint_time && newer)
      count_trained(status, end, *rank.record->checkpoint_time);
    if (rank.memory.index == 0 && rank.record->checkpoint_time && end.time > *rank.record->checkpoint_time) {
      status.lost_seconds +=
          std::chrono::duration_cast<std::chrono::seconds>(end.time - *rank.record->checkpoint_time).count();
    }
  }
}

// Tells what agents have seen of the checkpoints that a person should mend, although training goes on.
void tell_warnings(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  for (const Rank& rank : ranks) {
    if (rank.record && !rank.record->damaged.empty())
      builder.announce(EventType::Warning, "CheckpointDamaged", "EndAttempt",
                       rank.record->damaged + "; it counts no more");
  }
  for (const Rank& rank : ranks) {
    if (!rank.record || rank.record->warning.empty()) continue;
    const std::string& warning = rank.record->warning;
    if (!said_before(builder, "CheckpointReady", "OutOfOrder"))
      builder.announce(EventType::Warning, "CheckpointsOutOfOrder", "EndAttempt", warning);
    builder.outlook.checkpoint = {kube::ConditionStatus::True, {"OutOfOrder", warning}};
    return;
  }
}

void go_on(PlanBuilder& builder, const api::AttemptEnd& end, std::chrono::seconds pause) {
  api::ResumableJobStatus& status = builder.status();
  if (status.attempts_without_progress >= kAttemptsWithoutProgress) {
    if (makes_no_progress(status) && !is_true(builder.conditions.before(), "Stalled")) {
      builder.announce(EventType::Warning, "NoProgress", "EndAttempt",
                       std::to_string(status.attempts_without_progress) +
                           " attempts in a row brought no newer checkpoint; the last ended with " + end.reason + ": " +
                           end.message);
    }
    pause = std::max(pause, backoff(status.attempts_without_progress - kAttemptsWithoutProgress + 1));
  }
  if (pause > std::chrono::seconds(0)) status.retry_after = builder.seen.now + pause;
  builder.outlook.waits = Saying{"WaitForRecovery", said_between_attempts(end, status.retry_after)};
  builder.plan.wake_by(builder.seen.now + pause);
}

// The job stays stopped, whoever stopped it: the queue, a limit or a person.
void stay_stopped(PlanBuilder& builder) {
  const bool suspended = builder.seen.job->spec.suspend;
  if (auto taken = quota_taken_away(builder.seen); taken && !suspended) {
    wait_in_queue(builder, *std::move(taken));
  } else if (auto limit = reached_limit(builder); limit && !suspended) {
    suspend_at_limit(builder, *std::move(limit));
  } else {
    suspend_as_requested(builder);
  }
  builder.plan.wake_by(builder.seen.now);
}

}  // namespace

void note_lost_peer(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  api::AttemptEnd& end = *builder.status().attempt_end;
  if (end.cause != AttemptEndCause::ApplicationFailure) return;
  const Rank* failed = first_failure(ranks);
  const auto lost = std::ranges::find_if(ranks, [&](const Rank& each) {
    return &each != failed && lost_its_node(each) && !had_ended_before(builder.seen, each);
  });
  if (lost == ranks.end()) return;
  become_interruption(builder, end, *lost, failed == nullptr ? std::string(end.message) : how_it_failed(*failed));
}

void close_attempt(PlanBuilder& builder, api::AttemptEnd end, const std::vector<Rank>& ranks) {
  api::ResumableJobStatus& status = builder.status();
  judge_failures(builder, end, ranks);
  count_progress(builder, end, ranks);
  count_losses(builder, end, ranks);
  tell_warnings(builder, ranks);
  remember_lingering(status, ranks);
  status.members.clear();
  status.attempt_end.reset();
  status.starting_since.reset();
  status.active = 0;
  const std::chrono::seconds longest = longest_pause_after_rejection(status);
  status.last_end = end;
  switch (end.cause) {
    case AttemptEndCause::Succeeded:
    case AttemptEndCause::Failed:
      finish_job(builder, end);
      drop_standby(builder);
      return;
    case AttemptEndCause::Suspended:
    case AttemptEndCause::Deleted:
      stay_stopped(builder);
      return;
    case AttemptEndCause::Interruption:
      if (auto limit = reached_limit(builder)) {
        suspend_at_limit(builder, *std::move(limit));
      } else {
        go_on(builder, end, pause_after_open_node(builder.seen, end));
      }
      return;
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::Hung:
      go_on(builder, end, backoff(status.attempts_without_progress));
      return;
    case AttemptEndCause::ApplicationFailure:
      go_on(builder, end, backoff(status.failures));
      return;
    case AttemptEndCause::Rejected:
      go_on(builder, end, backoff(status.attempts_without_progress, longest));
      return;
    case AttemptEndCause::NotInstalled:
      go_on(builder, end, backoff(status.attempts_without_progress));
      return;
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Outdated:
      go_on(builder, end, backoff(1));
      return;
    case AttemptEndCause::VolumeFull:
      go_on(builder, end, backoff(1));
      stall_on_full_volume(builder, end, ranks);
      return;
    case AttemptEndCause::Refused:
      go_on(builder, end, backoff(1));
      stall_on_lost_checkpoint(builder, end, ranks);
      stall_on_full_volume(builder, end, ranks);
      return;
    case AttemptEndCause::PodsReadyTimeout:
      go_on(builder, end, backoff(std::max(status.attempts_without_progress, 1)));
      return;
  }
}

}  // namespace reprise::controllers::resumablejob
