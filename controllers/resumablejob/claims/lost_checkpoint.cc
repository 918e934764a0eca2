#include "controllers/resumablejob/claims/lost_checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controllers/resumablejob/claims/accept_checkpoint.h"
#include "controllers/resumablejob/claims/common_step.h"
#include "controllers/resumablejob/ends/start_failure.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

// The step that is there in place of the lost one: on the volume, or on those of all ranks.
std::optional<std::int64_t> step_to_offer(const api::ResumableJob& job, const std::vector<Rank>& ranks) {
  if (has_volume_each(job)) {
    const auto common = newest_common_step(ranks, job.spec.checkpoint.unproven);
    return common ? common->step : std::nullopt;
  }
  for (const Rank& rank : ranks) {
    if (rank.record && start_failure_of(rank.record->reason) == StartFailure::CheckpointLost && rank.record->step)
      return rank.record->step;
  }
  return std::nullopt;
}

// The step that all volumes hold and some rank cannot prove, where it reaches up to the missing one.
std::optional<std::int64_t> unproven_to_offer(const PlanBuilder& builder, const std::vector<Rank>& ranks) {
  const api::ResumableJob& job = *builder.seen.job;
  if (!has_volume_each(job) || job.spec.checkpoint.unproven == api::UnprovenCheckpoints::Use) return std::nullopt;
  const auto found = unproven_on_all(ranks);
  const auto& expected = builder.seen.job->status.checkpoint;
  return found && expected && *found >= expected->step ? found : std::nullopt;
}

}  // namespace

void stall_on_lost_checkpoint(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  if (start_failure_of(end.reason) != StartFailure::CheckpointLost) return;
  api::LostCheckpoint lost{
      .attempt = end.attempt, .generation = builder.seen.job->meta.generation, .offered_step = {}, .message = {}};
  const bool said_by_agent =
      std::ranges::any_of(ranks, [](const Rank& rank) { return rank.state == RankState::Refused; });
  std::string message = (said_by_agent ? "agent: " : "") + end.message;
  if (const auto step = step_to_offer(*builder.seen.job, ranks)) {
    lost.offered_step = step;
    message += "; to go on from step " + std::to_string(*step) +
               " and give up what came after it: " + how_to_accept(*builder.seen.job, step);
  }
  if (const auto step = unproven_to_offer(builder, ranks)) {
    message += "; step " + std::to_string(*step) +
               " is on all volumes, and not proven to be on the storage: with spec.checkpoint.unproven Use it is "
               "resumed from";
  }
  builder.outlook.stalled = Saying{"CheckpointLost", message};
  lost.message = std::move(message);
  builder.status().checkpoint_lost = std::move(lost);
  builder.outlook.checkpoint = {kube::ConditionStatus::False, {"CheckpointLost", end.message}};
}

}  // namespace reprise::controllers::resumablejob
