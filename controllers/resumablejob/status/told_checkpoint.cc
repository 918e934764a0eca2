#include "controllers/resumablejob/status/told_checkpoint.h"

#include <algorithm>

#include "controllers/resumablejob/claims/common_step.h"
#include "controllers/resumablejob/ends/start_failure.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::resumablejob {
namespace {

using protocol::Record;

// A time further ahead than clocks differ is a file system's or a trainer's invention.
constexpr std::chrono::hours kClocksDiffer{1};

bool is_credible(const Observation& seen, const std::optional<kube::Time>& time) {
  return time && *time <= seen.now + kClocksDiffer;
}

bool is_later(const std::optional<kube::Time>& time, const std::optional<kube::Time>& than) {
  return time && than && *time > *than;
}

// The record of a trainer that has never run tells what lies on the volume, which may be a copy of an older state.
bool trainer_ran(const Observation& seen, const Rank& rank) {
  if (rank.state == RankState::Refused) return false;
  const bool began_anew = seen.job->spec.resume == api::ResumePolicy::Never;
  return rank.record->resumed_from || !rank.record->warning.empty() || began_anew;
}

// Rank 0 decides in which order the checkpoints of a shared volume were made. A peer that outlived it may know of a
// later one; a lower number counts only where its agent tells of the contradiction.
bool overtakes(const Record& peer, const Record& best) {
  if (*peer.step > *best.step) return !is_later(best.checkpoint_time, peer.checkpoint_time);
  return !peer.warning.empty() && peer.path != best.path && is_later(peer.checkpoint_time, best.checkpoint_time);
}

bool tells_of_durable(const Rank& rank) {
  return rank.record && rank.record->step && rank.record->durable;
}

// Rank 0's record, where it has left one that names a checkpoint.
const Record* record_of_first(const std::vector<Rank>& ranks) {
  const auto first = std::ranges::find_if(ranks, [](const Rank& each) { return each.memory.index == 0; });
  return first != ranks.end() && first->record && !first->record->path.empty() ? &*first->record : nullptr;
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

bool is_no_older_than_job(const Observation& seen, const api::ResumableJobStatus& status,
                          const std::optional<kube::Time>& saved) {
  const auto& known = status.checkpoint;
  const std::optional<kube::Time> since = known && known->time ? known->time : seen.job->meta.creation_timestamp;
  return !is_later(since, saved);
}

bool tells_of_own(const Observation& seen, const api::ResumableJobStatus& status, const std::vector<Rank>& ranks,
                  const Rank& rank) {
  if (!rank.record || !rank.record->step) return false;
  const Record& record = *rank.record;
  if (rank.memory.index == 0 || has_volume_each(*seen.job)) return true;
  if (record.step == record.resumed_from) return true;
  const Record* first = record_of_first(ranks);
  if (first != nullptr && directory_of(record.path) != directory_of(first->path)) return false;
  return is_no_older_than_job(seen, status, record.checkpoint_time);
}

const Rank* newest_told(const Observation& seen, const api::ResumableJobStatus& status,
                        const std::vector<Rank>& ranks) {
  // A save of one rank on a volume of its own brings nobody further until the others have it too.
  if (has_volume_each(*seen.job)) {
    if (ranks.empty() || !tells_of_durable(ranks.front())) return nullptr;
    const bool all = std::ranges::all_of(ranks, [&](const Rank& rank) {
      return tells_of_durable(rank) && is_one_save(*rank.record, *ranks.front().record);
    });
    return all ? &ranks.front() : nullptr;
  }
  const Rank* best = nullptr;
  for (const Rank& rank : ranks) {
    if (!tells_of_durable(rank) || !tells_of_own(seen, status, ranks, rank)) continue;
    if (best == nullptr || overtakes(*rank.record, *best->record)) best = &rank;
  }
  return best;
}

bool is_newer_than_known(const Observation& seen, const api::ResumableJobStatus& status, const Rank& rank) {
  const Record& record = *rank.record;
  const auto& known = status.checkpoint;
  // A record of a lost checkpoint names what is there in its place, for a person to accept: an older one, whatever its
  // number.
  if (start_failure_of(record.reason) == StartFailure::CheckpointLost) return false;
  if (!known || *record.step > known->step) return true;
  // A checkpoint that is known by the lists of the volumes alone has no name and no time yet.
  if (has_volume_each(*seen.job) && *record.step == known->step && known->path.empty()) return true;
  if (!trainer_ran(seen, rank) || record.path.empty()) return false;
  // The known one has no time where lists or a person alone have told of it. An agent that resumes from a lower step
  // has seen on its own list that this one came later.
  if (!known->time) return record.resumed_from && *record.resumed_from < known->step;
  return is_credible(seen, record.checkpoint_time) && is_later(record.checkpoint_time, known->time);
}

bool has_saved(const Observation& seen, const api::ResumableJobStatus& status, const std::vector<Rank>& ranks,
               const Rank& rank) {
  if (rank.state == RankState::Refused || !tells_of_own(seen, status, ranks, rank)) return false;
  const Record& record = *rank.record;
  const std::int64_t from = record.resumed_from.value_or(-1);
  if (*record.step > from || (!record.warning.empty() && *record.step != from)) return true;
  return is_credible(seen, record.checkpoint_time) && is_later(record.checkpoint_time, status.attempt_start_time);
}

}  // namespace reprise::controllers::resumablejob
