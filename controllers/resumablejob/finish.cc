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

void tidy_finished(Draft& draft) {
  const api::ResumableJob& job = *draft.seen.job;
  drop_standby(draft);
  if (!job.spec.ttl_seconds_after_finished || !job.status.completion_time) return;
  const api::Time gone = *job.status.completion_time + std::chrono::seconds(*job.spec.ttl_seconds_after_finished);
  if (draft.seen.now >= gone) {
    draft.plan.actions.emplace_back(DeleteJob{job.meta.name, job.meta.uid});
  } else {
    draft.plan.wake_by(gone);
  }
}

}  // namespace reprise::controllers::resumablejob
