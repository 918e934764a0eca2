#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

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
