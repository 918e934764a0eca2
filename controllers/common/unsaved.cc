#include "controllers/common/unsaved.h"

#include <algorithm>

#include "controllers/common/conditions.h"

namespace reprise::controllers {

std::optional<kube::Time> unsaved_since(const api::ResumableJobStatus& status) {
  const kube::Condition* ready = find_condition(status.conditions, "PodsReady");
  const bool trains = !status.members.empty() && !status.attempt_end && ready != nullptr &&
                      ready->status == kube::ConditionStatus::True;
  const auto& told = status.progress;
  // A record of an end updates the progress too; ranks alone tell what is going on.
  const bool known = told && !told->activity.empty() && told->last_updated_time && status.attempt_start_time &&
                     *told->last_updated_time >= *status.attempt_start_time;
  if (!trains || !known) return std::nullopt;
  kube::Time since = ready->last_transition_time;
  if (told->checkpoint && told->checkpoint->time) since = std::max(since, *told->checkpoint->time);
  return since;
}

std::optional<kube::Time> checkpoint_due(const api::ResumableJobStatus& status, std::int64_t period_seconds) {
  const auto since = unsaved_since(status);
  return since ? std::optional(*since + kPeriodsUntilOverdue * kube::bounded_seconds(period_seconds)) : std::nullopt;
}

bool checkpoint_overdue(const api::ResumableJob& job, kube::Time now) {
  const auto due = checkpoint_due(job.status, job.spec.checkpoint.period_seconds);
  return due && now > *due;
}

}  // namespace reprise::controllers
