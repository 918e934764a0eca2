#include <algorithm>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/status/told_checkpoint.h"
#include "controllers/resumablejob/steps/schedule.h"

namespace reprise::controllers::resumablejob {

// The time that is left was said by the ranks at the step that they had come to.
void count_from(std::int64_t step, api::ProgressStatus& progress) {
  const auto rate = steps_per_second(progress);
  auto& left = progress.estimated_remaining_seconds;
  if (rate && left && progress.step)
    left = bounded_work(static_cast<double>(*left) + static_cast<double>(*progress.step - step) / *rate).count();
  if (progress.percentage && progress.step && *progress.step > 0)
    progress.percentage = static_cast<std::int32_t>(std::clamp(
        static_cast<double>(*progress.percentage) * static_cast<double>(step) / static_cast<double>(*progress.step),
        0.0, 100.0));
  progress.step = step;
}

bool makes_no_progress(const api::ResumableJobStatus& status) {
  return status.attempts_without_progress - status.attempts_cut_short >= kAttemptsWithoutProgress ||
         status.attempts_without_progress >= kAttemptsInVain;
}

void take_records(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  api::ResumableJobStatus& status = builder.status();
  const Rank* newest = newest_told(builder.seen, status, ranks);
  if (newest == nullptr || !is_newer_than_known(builder.seen, status, *newest)) return;
  const protocol::Record& record = *newest->record;
  api::CheckpointStatus checkpoint;
  checkpoint.step = *record.step;
  checkpoint.path = record.path;
  if (api::is_checkpoint_format(record.format)) checkpoint.format = record.format;  // a trainer may write records too
  checkpoint.time = record.checkpoint_time;
  checkpoint.size_bytes = record.size_bytes;
  checkpoint.verified = !record.structure_only;
  checkpoint.volume = volume_as(record.volume);
  checkpoint.claim_name = claim_name(*builder.seen.job, newest->memory.index);
  for (const api::ClaimStatus& claim : status.claims) {
    if (claim.name == checkpoint.claim_name) checkpoint.claim_uid = claim.uid;
  }
  status.checkpoint = std::move(checkpoint);
  if (!status.progress) status.progress.emplace();
  count_from(*record.step, *status.progress);
  status.progress->checkpoint = api::LiveCheckpointStatus{.step = *record.step,
                                                          .path = record.path,
                                                          .format = status.checkpoint->format,
                                                          .time = record.checkpoint_time,
                                                          .size_bytes = record.size_bytes,
                                                          .save_seconds = std::nullopt,
                                                          .verified = !record.structure_only};
  status.progress->last_updated_time = builder.seen.now;
  status.attempts_without_progress = 0;
  status.attempts_cut_short = 0;
  builder.outlook.checkpoint = {kube::ConditionStatus::True, kept_as(*record.step, !record.structure_only)};
}

}  // namespace reprise::controllers::resumablejob
