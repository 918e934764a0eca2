#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/ends/silent_end.h"

namespace reprise::controllers::resumablejob {

void finish_job(PlanBuilder& builder, api::AttemptEnd end) {
  const bool complete = end.cause == api::AttemptEndCause::Succeeded;
  builder.status().lingering_pods.clear();
  builder.status().retry_after.reset();
  builder.status().completion_time = builder.seen.now;
  builder.announce(complete ? EventType::Normal : EventType::Warning, complete ? "Complete" : "Failed", "Finish",
                   end.message);
  if (complete && is_doubtful(end.reason))
    builder.announce(EventType::Warning, std::string(end.reason), "Finish", end.message);
  builder.status().last_end = std::move(end);
}

void suspend_as_requested(PlanBuilder& builder) {
  stop_clock(builder);
  builder.outlook.suspended = Suspension{SuspendedBy::Person, "spec.suspend is true"};
  builder.outlook.waits = Saying{"Suspended", "the job is suspended"};
}

// As batch/Job does: startTime is set again when the job goes on.
void stop_clock(PlanBuilder& builder) {
  builder.status().start_time.reset();
}

void tidy_finished(PlanBuilder& builder) {
  const api::ResumableJob& job = *builder.seen.job;
  drop_standby(builder);
  delete_orphans(builder);
  finish_workload(builder);
  if (!job.spec.ttl_seconds_after_finished || !job.status.completion_time) return;
  const kube::Time gone = *job.status.completion_time + kube::bounded_seconds(*job.spec.ttl_seconds_after_finished);
  if (builder.seen.now >= gone) {
    builder.plan.actions.emplace_back(DeleteJob{job.meta.name, job.meta.uid});
  } else {
    builder.plan.wake_by(gone);
  }
}

}  // namespace reprise::controllers::resumablejob
