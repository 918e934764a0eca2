#include "controllers/resumablejob/steps/full_volume.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controllers/resumablejob/ends/start_failure.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/steps/room.h"

namespace reprise::controllers::resumablejob {
namespace {

// The rank that ended for want of room; of several the one whose agent keeps the volume and has counted what lies
// there.
const Rank* without_room(const std::vector<Rank>& ranks) {
  const Rank* found = nullptr;
  for (const Rank& rank : ranks) {
    const bool ended_so = rank.state == RankState::Failed || rank.state == RankState::Refused;
    if (!ended_so || !rank.record || !rank.record->full) continue;
    if (found == nullptr || found->record->full->generations < rank.record->full->generations) found = &rank;
  }
  return found;
}

std::string capacity_of(const Observation& seen, std::string_view claim) {
  const auto found = seen.claims.find(claim);
  return found == seen.claims.end() ? std::string() : std::string(found->second->capacity);
}

std::string describe(const Observation& seen, const std::string& claim, const api::RoomStatus& room) {
  const api::ResumableJob& job = *seen.job;
  const std::string capacity = capacity_of(seen, claim);
  const std::string of_job = " " + job.meta.name + " -n " + job.meta.namespace_;
  return "PersistentVolumeClaim " + claim + (capacity.empty() ? "" : " (" + capacity + ")") +
         " has no room for a save: " + describe_room(room) + "; " + how_to_make_room(room) +
         ", and the job goes on by itself; who has deleted something by hand tells it so: kubectl reprise suspend" +
         of_job + " && kubectl reprise resume" + of_job;
}

void remember_full_volume(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  const auto& known = builder.status().volume_full;
  const Rank* rank = without_room(ranks);
  if (known && known->attempt == end.attempt && rank == nullptr) return;  // by its record, which is gone
  const std::int32_t index = rank == nullptr ? 0 : rank->memory.index;
  const std::string claim = claim_name(*builder.seen.job, index);
  api::RoomStatus room;
  if (rank != nullptr) room = room_of(*rank->record->full, claim);
  std::string message = describe(builder.seen, claim, room);
  builder.status().volume_full = api::FullVolume{.attempt = end.attempt,
                                                 .generation = builder.seen.job->meta.generation,
                                                 .claim_name = claim,
                                                 .capacity = capacity_of(builder.seen, claim),
                                                 .message = std::move(message)};
}

}  // namespace

bool become_full_volume(api::AttemptEnd& end, const Observation& seen, const std::vector<Rank>& ranks) {
  const bool may_be = end.cause == api::AttemptEndCause::ApplicationFailure ||
                      end.cause == api::AttemptEndCause::CheckpointedExit ||
                      end.cause == api::AttemptEndCause::IgnoredFailure;
  const Rank* rank = may_be ? without_room(ranks) : nullptr;
  if (rank == nullptr || rank->state != RankState::Failed) return false;
  end.cause = api::AttemptEndCause::VolumeFull;
  end.reason = kVolumeFull;
  end.message = "pod " + rank->memory.pod_name + " ended with exit code " + std::to_string(rank->exit_code()) +
                ", and PersistentVolumeClaim " + claim_name(*seen.job, rank->memory.index) +
                " has no room for a save; not counted";
  return true;
}

void note_full_volume(PlanBuilder& builder, const std::vector<Rank>& ranks) {
  api::AttemptEnd& end = *builder.status().attempt_end;
  const bool failed =
      end.cause == api::AttemptEndCause::ApplicationFailure || end.cause == api::AttemptEndCause::IgnoredFailure;
  if (failed && become_full_volume(end, builder.seen, ranks)) remember_full_volume(builder, end, ranks);
}

void stall_on_full_volume(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks) {
  const bool full =
      end.cause == api::AttemptEndCause::VolumeFull || start_failure_of(end.reason) == StartFailure::VolumeFull;
  if (!full) return;
  remember_full_volume(builder, end, ranks);
  const std::string message(builder.status().volume_full->message);
  builder.announce(EventType::Warning, std::string(kVolumeFull), "EndAttempt", message);
  builder.outlook.stalled = Saying{std::string(kVolumeFull), message};
}

bool is_still_full(const Observation& seen) {
  const auto& full = seen.job->status.volume_full;
  if (!full || full->generation != seen.job->meta.generation) return false;
  return capacity_of(seen, full->claim_name) == full->capacity;
}

}  // namespace reprise::controllers::resumablejob
