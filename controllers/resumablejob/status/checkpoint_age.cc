// CheckpointReady of a job that trains: says whether it still saves, as its ranks report.
#include "controllers/common/unsaved.h"
#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {
namespace {

constexpr std::string_view kOverdue = "Overdue";

// A rank that is silent may well save.
bool reports_come_in(const Observation& seen) {
  return std::ranges::any_of(seen.job->status.members, [&](const api::RankStatus& rank) {
    const auto report = seen.reports.find(rank.pod_uid);
    return report != seen.reports.end() && seen.speaks(*report->second);
  });
}

// The condition where nothing is overdue any more.
Outlook::CheckpointNews newest_checkpoint(const api::ResumableJobStatus& status) {
  const auto& recorded = status.checkpoint;
  const auto& live = status.progress ? status.progress->checkpoint : std::nullopt;
  if (live && (!recorded || live->step != recorded->step))
    return {kube::ConditionStatus::True,
            {"Reported", "a rank reports that step " + std::to_string(live->step) + " is complete"}};
  if (recorded) return {kube::ConditionStatus::True, kept_as(recorded->step, recorded->verified)};
  return {kube::ConditionStatus::Unknown, {"NoRecord", "no checkpoint has been reported yet"}};
}

}  // namespace

Saying kept_as(std::int64_t step, bool durable) {
  const std::string named = "step " + std::to_string(step);
  if (durable) return {"Verified", named + " is complete and durable"};
  return {"StructureOnly", named +
                               " is complete as far as its files show; nothing on this volume, a FUSE mount, has shown "
                               "that it is durable, so nothing is pruned"};
}

void judge_checkpoint_age(PlanBuilder& builder) {
  const Observation& seen = builder.seen;
  if (builder.outlook.checkpoint || said_before(builder, "CheckpointReady", "OutOfOrder")) return;
  const bool said = said_before(builder, "CheckpointReady", kOverdue);
  const std::int64_t period = seen.job->spec.checkpoint.period_seconds;
  const auto due = checkpoint_due(builder.status(), period);
  if (!due || seen.now <= *due) {
    if (said) builder.outlook.checkpoint = newest_checkpoint(builder.status());
    if (due) builder.plan.wake_by(*due + std::chrono::seconds(1));
    return;
  }
  if (!reports_come_in(seen)) return;
  std::string message = "no newer checkpoint since " + kube::format_time(*unsaved_since(builder.status())) +
                        ", and spec.checkpoint.periodSeconds is " + std::to_string(period) +
                        ": does the trainer still save? See its log";
  if (!said) builder.announce(EventType::Warning, "CheckpointOverdue", "RunAttempt", message);
  builder.outlook.checkpoint = {kube::ConditionStatus::False, {std::string(kOverdue), std::move(message)}};
}

}  // namespace reprise::controllers::resumablejob
