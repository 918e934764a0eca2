#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/ends/silent_end.h"
#include "controllers/resumablejob/steps/schedule.h"

namespace reprise::controllers::resumablejob {
namespace {

constexpr std::string_view kNothingBlocks = "nothing blocks the job";

class Projection {
 public:
  explicit Projection(PlanBuilder& builder)
      : seen_(builder.seen),
        set_(builder.conditions),
        status_(builder.plan.status),
        outlook_(builder.outlook),
        quota_(quota_condition(builder.seen)),
        before_(builder.conditions.before()) {}

  void all() {
    ends();
    quota_reserved();
    suspended();
    pods_ready();
    interrupted();
    checkpoint_ready();
    on_schedule();
    stalled_and_reconciling();
  }

 private:
  [[nodiscard]] bool complete() const {
    return is_finished(status_) && status_.last_end && status_.last_end->cause == api::AttemptEndCause::Succeeded;
  }
  [[nodiscard]] bool failed() const { return is_finished(status_) && !complete(); }
  [[nodiscard]] Saying end() const {
    return status_.last_end ? Saying{status_.last_end->reason, status_.last_end->message} : Saying{"Failed", {}};
  }
  // At a limit the job is suspended because of what has happened to it, which still stands.
  [[nodiscard]] bool suspended_by_person() const {
    if (!outlook_.suspended) return false;
    switch (outlook_.suspended->by) {
      case SuspendedBy::Person:
        return true;
      case SuspendedBy::InterruptionLimit:
      case SuspendedBy::CostLimit:
        return false;
    }
    return false;
  }
  void set_true(std::string_view type, const Saying& said) { set_.set_true(type, said.reason, said.message); }
  // Keeps the condition with its message, stamped with the generation that this status is about.
  void keep(std::string_view type) {
    const kube::Condition copy = *find_condition(status_.conditions, type);
    set_.set(type, copy.status, copy.reason, copy.message);
  }

  void ends() {
    if (complete()) {
      set_true("Complete", end());
    } else {
      set_.set_false("Complete", "NotFinished", "the job has not finished");
    }
    if (failed()) {
      set_true("Failed", end());
    } else {
      set_.set_false("Failed", "NotFinished", "the job has not failed");
    }
  }

  // Only a job in a queue has this condition.
  void quota_reserved() {
    if (is_finished(status_) || !quota_) return set_.remove("QuotaReserved");
    set_.set("QuotaReserved", quota_->status, quota_->reason, quota_->message);
  }

  void suspended() {
    const kube::Condition* before = find_condition(before_, "Suspended");
    const bool was = before != nullptr && before->status == kube::ConditionStatus::True;
    if (outlook_.suspended) {
      set_.set_true("Suspended", reason_of(outlook_.suspended->by), outlook_.suspended->message);
    } else {
      const std::string unsuspended = was                 ? "Resumed"
                                      : before != nullptr ? std::string(before->reason)
                                                          : "NotSuspended";
      set_.set_false("Suspended", unsuspended, "the job is not suspended");
    }
  }

  void pods_ready() {
    const bool first = status_.attempt == 1;
    if (is_finished(status_)) {
      // For the column STATE: what a person should look at comes before that it is over.
      std::string over = failed() ? "Failed" : "Complete";
      if (complete() && is_doubtful(end().reason)) over = end().reason;
      set_.set_false("PodsReady", over, end().message);
    } else if (outlook_.ready) {
      set_.set_true("PodsReady", first ? "Started" : "Recovered",
                    "attempt " + std::to_string(status_.attempt) + " runs" + held());
    } else if (outlook_.waits) {
      set_.set_false("PodsReady", outlook_.waits->reason, outlook_.waits->message + held());
    } else if (find_condition(status_.conditions, "PodsReady") != nullptr) {
      keep("PodsReady");
    } else {
      set_.set_false("PodsReady", "WaitForStart", "no attempt has begun");
    }
  }

  [[nodiscard]] std::string held() const { return outlook_.held.empty() ? std::string() : "; " + outlook_.held; }

  void checkpoint_ready() {
    if (const auto& news = outlook_.checkpoint) {
      set_.set("CheckpointReady", news->ready, news->said.reason, news->said.message);
    } else if (find_condition(status_.conditions, "CheckpointReady") != nullptr) {
      keep("CheckpointReady");
    } else {
      set_.set_unknown("CheckpointReady", "NoRecord", "no checkpoint has been reported yet");
    }
  }

  void on_schedule() {
    const auto& placement = seen_.job->spec.placement;
    if (is_finished(status_) && placement && placement->complete_by) {
      const bool in_time = complete() && *status_.completion_time <= *placement->complete_by;
      return set_.set("OnSchedule", in_time ? kube::ConditionStatus::True : kube::ConditionStatus::False,
                      failed()  ? "Failed"
                      : in_time ? "CompleteInTime"
                                : "CompleteLate",
                      "spec.placement.completeBy is " + kube::format_time(*placement->complete_by));
    }
    const Schedule& schedule = outlook_.schedule;
    switch (schedule.in_time) {
      case InTime::NoDeadline:
        return set_.set_unknown("OnSchedule", "NoDeadline", schedule.message);
      case InTime::Unknown:
        return set_.set_unknown("OnSchedule", "WorkLeftUnknown", schedule.message);
      case InTime::Yes:
        return set_.set_true("OnSchedule", "InTime", schedule.message);
      case InTime::NeedsOnDemand:
        return set_.set_true("OnSchedule", "NeedsOnDemand", schedule.message);
      case InTime::No:
        return set_.set_false("OnSchedule", "Late", schedule.message);
    }
  }

  void interrupted() {
    const auto& last = status_.last_interruption;
    if (is_finished(status_)) {
      set_.set_false("Interrupted", "Finished", "the job has finished");
    } else if (!last || suspended_by_person()) {
      set_.set_false("Interrupted", "NotInterrupted", "no interruption is being handled");
    } else if (last->recovered_time) {
      set_.set_false("Interrupted", "Recovered", "the job runs again");
    } else {
      set_.set_true("Interrupted", last->reason, why_interrupted());
    }
  }

  [[nodiscard]] std::string why_interrupted() const {
    for (const auto* end : {&status_.attempt_end, &status_.last_end}) {
      if (*end && (*end)->cause == api::AttemptEndCause::Interruption) return (*end)->message;
    }
    const kube::Condition* before = find_condition(before_, "Interrupted");
    return before != nullptr && before->status == kube::ConditionStatus::True ? std::string(before->message)
                                                                              : "the job was interrupted";
  }

  [[nodiscard]] std::optional<Saying> why_stalled() const {
    if (complete()) return std::nullopt;
    if (failed()) return end();
    if (outlook_.stalled) return outlook_.stalled;
    if (suspended_by_person() || !makes_no_progress(status_)) return std::nullopt;
    return Saying{"NoProgress", std::to_string(status_.attempts_without_progress) +
                                    " attempts in a row brought no newer checkpoint; the "
                                    "last ended with " +
                                    end().reason + ": " + end().message};
  }

  void stalled_and_reconciling() {
    const auto stalled = why_stalled();
    if (stalled) {
      set_true("Stalled", *stalled);
    } else {
      set_.set_false("Stalled", "Progressing", kNothingBlocks);
    }
    if (outlook_.reconciling && !stalled && !is_finished(status_)) {
      set_true("Reconciling", *outlook_.reconciling);
    } else {
      set_.remove("Reconciling");
    }
  }

  const Observation& seen_;
  ConditionSetter& set_;
  const api::ResumableJobStatus& status_;
  const Outlook& outlook_;
  const std::optional<kube::Condition> quota_;
  const std::vector<kube::Condition>& before_;
};

}  // namespace

void judge_schedule(PlanBuilder& builder) {
  builder.outlook.schedule = schedule_of(builder.seen, builder.status());
  const auto& next = builder.outlook.schedule.next_change;
  if (next && !is_finished(builder.status())) builder.plan.wake_by(*next);
}

void project_conditions(PlanBuilder& builder) {
  Projection(builder).all();
}

bool said_before(const PlanBuilder& builder, std::string_view type, std::string_view reason) {
  const kube::Condition* before = find_condition(builder.conditions.before(), type);
  return before != nullptr && before->reason == reason;
}

void show_rejection(PlanBuilder& builder) {
  const Saying why{std::string(kFailedCreate), builder.seen.rejection};
  if (!said_before(builder, "Stalled", kFailedCreate)) {
    builder.announce(EventType::Warning, std::string(kFailedCreate), "Create", builder.seen.rejection);
  }
  builder.outlook.stalled = why;
  builder.outlook.is_tried_again = true;
  builder.outlook.waits = why;
}

}  // namespace reprise::controllers::resumablejob
