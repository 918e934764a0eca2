#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {
namespace {
constexpr std::string_view kInterruptionLimitReached = "InterruptionLimitReached";
}

void finish_job(Draft& draft, api::AttemptEnd end) {
  const bool complete = end.cause == api::AttemptEndCause::Succeeded;
  draft.status().lingering_pods.clear();
  draft.status().retry_after.reset();
  draft.status().completion_time = draft.seen.now;
  draft.announce(complete ? EventType::Normal : EventType::Warning, complete ? "Complete" : "Failed", "Finish",
                 end.message);
  draft.status().last_end = std::move(end);
}

// By the count and not by what a condition says: a suspend by hand and its end leave the limit reached.
bool at_interruption_limit(const Draft& draft) {
  return at_interruption_limit(draft.seen.job->spec, draft.plan.status);
}

bool at_interruption_limit(const api::ResumableJobSpec& spec, const api::ResumableJobStatus& status) {
  const std::int32_t count = status.interruption_count;
  return spec.interruption.limit && count > 0 && count >= *spec.interruption.limit;
}

void suspend_at_limit(Draft& draft) {
  api::ResumableJobStatus& status = draft.status();
  const std::string message =
      std::to_string(status.interruption_count) + " interruptions reach spec.interruption.limit; raise it to go on";
  if (!said_before(draft, "Suspended", kInterruptionLimitReached)) {
    draft.announce(EventType::Warning, std::string(kInterruptionLimitReached), "Suspend", message);
  }
  draft.outlook.suspended = Saying{std::string(kInterruptionLimitReached), message};
  draft.outlook.waits = Saying{"Suspended", message};
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
