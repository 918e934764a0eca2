#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

// Absent means Unknown to every reader, so all conditions are there from the first visit on, and each is stamped with
// the generation that this status is about.
void default_conditions(Draft& draft) {
  ConditionSetter& set = draft.conditions;
  const std::vector<kube::Condition>& now = draft.plan.status.conditions;
  const auto keep_or = [&](std::string_view type, kube::ConditionStatus status, std::string_view reason,
                           std::string_view message) {
    if (const kube::Condition* found = find_condition(now, type); found != nullptr) {
      const kube::Condition copy = *found;
      set.set(type, copy.status, copy.reason, copy.message);
    } else {
      set.set(type, status, reason, message);
    }
  };
  keep_or("Complete", kube::ConditionStatus::False, "NotFinished", "the job has not finished");
  keep_or("Failed", kube::ConditionStatus::False, "NotFinished", "the job has not failed");
  keep_or("Suspended", kube::ConditionStatus::False, "NotSuspended", "the job is not suspended");
  keep_or("PodsReady", kube::ConditionStatus::False, "WaitForStart", "no attempt has begun");
  keep_or("Interrupted", kube::ConditionStatus::False, "NotInterrupted", "no interruption is being handled");
  keep_or("CheckpointReady", kube::ConditionStatus::Unknown, "NoRecord", "no checkpoint has been reported yet");
  set.set_unknown("OnSchedule", "NoDeadline", "spec.placement.completeBy is not set");
  keep_or("Stalled", kube::ConditionStatus::False, "Progressing", "nothing blocks the job");
}

void show_refusal(Draft& draft) {
  const std::string& why = draft.seen.refusal;
  const kube::Condition* before = find_condition(draft.seen.job->status.conditions, "Stalled");
  const bool said = before != nullptr && before->status == kube::ConditionStatus::True && before->reason == kRefused;
  if (!said) draft.announce(EventType::Warning, std::string(kRefused), "Create", why);
  draft.conditions.set_true("Stalled", kRefused, why);
  draft.conditions.set_false("PodsReady", kRefused, why);
  draft.conditions.remove("Reconciling");
}

}  // namespace reprise::controllers::resumablejob
