#include "controllers/resumablejob/names.h"
#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {
namespace {

// Where the agent says that numbers contradict the order of completion, the times of one volume tell which is newer.
bool is_newer(const protocol::Record& record, const std::optional<api::CheckpointStatus>& known) {
  if (!known || *record.step > known->step) return true;
  return !record.warning.empty() && record.path != known->path && record.checkpoint_time && known->time &&
         *record.checkpoint_time > *known->time;
}

}  // namespace

void take_records(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  api::ResumableJobStatus& status = builder.status();
  for (const Rank& rank : ranks) {
    if (!rank.record || !rank.record->step) continue;
    const protocol::Record& record = *rank.record;
    if (!record.durable || !is_newer(record, status.checkpoint)) continue;
    api::CheckpointStatus checkpoint;
    checkpoint.step = *record.step;
    checkpoint.path = record.path;
    if (api::is_checkpoint_format(record.format)) checkpoint.format = record.format;  // a trainer may write records too
    checkpoint.time = record.checkpoint_time;
    checkpoint.size_bytes = record.size_bytes;
    checkpoint.verified = !record.structure_only;
    checkpoint.claim_name = claim_name(*builder.seen.job, rank.memory.index);
    for (const api::ClaimStatus& claim : status.claims) {
      if (claim.name == checkpoint.claim_name) checkpoint.claim_uid = claim.uid;
    }
    status.checkpoint = std::move(checkpoint);
    if (!status.progress) status.progress.emplace();
    status.progress->step = record.step;
    status.progress->checkpoint = api::LiveCheckpointStatus{
        .step = *record.step, .path = record.path, .time = record.checkpoint_time, .save_seconds = std::nullopt};
    status.progress->last_updated_time = builder.seen.now;
    status.attempts_without_progress = 0;
    builder.outlook.checkpoint = {kube::ConditionStatus::True, kept_as(*record.step, !record.structure_only)};
  }
}

}  // namespace reprise::controllers::resumablejob
