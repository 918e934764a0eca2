#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

void finish_job(Draft& draft, std::string_view condition, const std::string& reason, const std::string& message) {
  const bool complete = condition == "Complete";
  draft.status().lingering_pods.clear();
  draft.status().retry_after.reset();
  draft.status().completion_time = draft.seen.now;
  draft.conditions.set_true(condition, reason, message);
  draft.conditions.set_false("PodsReady", complete ? "Complete" : "Failed", message);
  draft.conditions.set_false("Interrupted", "Finished", "the job has finished");
  draft.conditions.remove("Reconciling");
  if (complete) {
    draft.conditions.set_false("Stalled", "Progressing", "nothing blocks the job");
  } else {
    draft.conditions.set_true("Stalled", reason, message);
  }
  draft.announce(complete ? EventType::Normal : EventType::Warning, std::string(condition), "Finish", message);
}

// By the count and not by what a condition says: a suspend by hand and its end leave the limit reached.
bool at_interruption_limit(const Draft& draft) {
  const auto limit = draft.seen.job->spec.interruption.limit;
  const std::int32_t count = draft.plan.status.interruption_count;
  return limit && count > 0 && count >= *limit;
}

void suspend_at_limit(Draft& draft) {
  api::ResumableJobStatus& status = draft.status();
  const std::string message =
      std::to_string(status.interruption_count) + " interruptions reach spec.interruption.limit; raise it to go on";
  const kube::Condition* before = find_condition(draft.seen.job->status.conditions, "Suspended");
  const bool said = before != nullptr && before->status == kube::ConditionStatus::True &&
                    before->reason == "InterruptionLimitReached";
  if (!said) draft.announce(EventType::Warning, "InterruptionLimitReached", "Suspend", message);
  draft.conditions.set_true("Suspended", "InterruptionLimitReached", message);
  draft.conditions.set_false("PodsReady", "Suspended", message);
  draft.conditions.remove("Reconciling");
  stop_clock(draft);
  drop_standby(draft);
}

// As batch/Job does: startTime is set again when the job goes on.
void stop_clock(Draft& draft) {
  draft.status().start_time.reset();
}

void tidy_finished(Draft& draft) {
  const api::ResumableJob& job = *draft.seen.job;
  drop_standby(draft);
  delete_strays(draft);
  if (!job.spec.ttl_seconds_after_finished || !job.status.completion_time) return;
  const kube::Time gone = *job.status.completion_time + std::chrono::seconds(*job.spec.ttl_seconds_after_finished);
  if (draft.seen.now >= gone) {
    draft.plan.actions.emplace_back(DeleteJob{job.meta.name, job.meta.uid});
  } else {
    draft.plan.wake_by(gone);
  }
}

}  // namespace reprise::controllers::resumablejob
