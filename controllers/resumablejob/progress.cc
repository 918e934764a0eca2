#include <algorithm>

#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"
#include "controllers/resumablejob/schedule.h"

namespace reprise::controllers::resumablejob {
namespace {

// Where the agent says that numbers contradict the order of completion, the times of one volume tell which is newer.
bool is_newer(const protocol::Record& record, const std::optional<api::CheckpointStatus>& known) {
  if (!known || *record.step > known->step) return true;
  return !record.warning.empty() && record.path != known->path && record.checkpoint_time && known->time &&
         *record.checkpoint_time > *known->time;
}

// What one rank has saved on a volume of its own brings nobody further until the others have it too.
bool all_have(const std::vector<Rank>& ranks, const protocol::Record& wanted) {
  return std::ranges::all_of(ranks, [&](const Rank& rank) {
    return rank.record && rank.record->durable && rank.record->step == wanted.step && rank.record->path == wanted.path;
  });
}

// What ranks have said of the time that is left was from the step that they had come to.
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

}  // namespace

bool makes_no_progress(const api::ResumableJobStatus& status) {
  return status.attempts_without_progress - status.attempts_cut_short >= kAttemptsWithoutProgress ||
         status.attempts_without_progress >= kAttemptsInVain;
}

void take_records(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  api::ResumableJobStatus& status = builder.status();
  for (const Rank& rank : ranks) {
    if (!rank.record || !rank.record->step) continue;
    const protocol::Record& record = *rank.record;
    const bool each = has_volume_each(*builder.seen.job);
    // By the lists of the volumes alone it has no name and no time yet.
    const bool named =
        each && status.checkpoint && status.checkpoint->step == *record.step && status.checkpoint->path.empty();
    if (!record.durable || (!named && !is_newer(record, status.checkpoint))) continue;
    if (each && !all_have(ranks, record)) continue;
    api::CheckpointStatus checkpoint;
    checkpoint.step = *record.step;
    checkpoint.path = record.path;
    if (api::is_checkpoint_format(record.format)) checkpoint.format = record.format;  // a trainer may write records too
    checkpoint.time = record.checkpoint_time;
    checkpoint.size_bytes = record.size_bytes;
    checkpoint.verified = !record.structure_only;
    checkpoint.volume = volume_as(record.volume);
    checkpoint.claim_name = claim_name(*builder.seen.job, rank.memory.index);
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
}

}  // namespace reprise::controllers::resumablejob
