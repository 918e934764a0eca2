// Stand-ins for other checkpoints that are further than the numbered ones beside them: progress like any other, which
// is told and proven, and for which nothing goes, since they are written anew in place.
#include <algorithm>
#include <iterator>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/watch/stand_ins_beside.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

using runtime::Result;

Checkpoints CheckpointWatch::Found::together() const {
  Checkpoints all = lasting;
  std::ranges::copy(further, std::back_inserter(all));
  return all;
}

Result<CheckpointWatch::Found> CheckpointWatch::scan(const MadeCheckpoints& made) const {
  auto found = volume_->scan();
  if (!found) return std::unexpected(found.error());
  auto further = further_in(*found, made);
  if (!further) return std::unexpected(further.error());
  for (Checkpoints* each : {&*found, &*further})
    std::erase_if(*each, [&](const Checkpoint& one) { return is_ignored(one, made); });
  sort_newest_first(*found, made_as_of(*found, made));
  return Found{.lasting = *std::move(found), .further = *std::move(further)};
}

// Ranks with a volume each resume from none: they agree on a numbered one.
Result<Checkpoints> CheckpointWatch::further_in(const Checkpoints& found, const MadeCheckpoints& made) const {
  if (options_.holds == Holds::OneRank) return Checkpoints();
  Checkpoints further = volume_->format->stand_ins();
  std::erase_if(further, [&](const Checkpoint& each) {
    return each.step <= 0 || !is_further(each, found) || !may_be_own(each, made);
  });
  if (further.empty()) return further;
  const auto set_aside = volume_->set_aside->read(volume_->files, volume_->layout);
  if (!set_aside) return std::unexpected(set_aside.error());
  return without_set_aside(std::move(further), *set_aside);
}

// Somebody may have copied it there before.
bool CheckpointWatch::may_be_own(const Checkpoint& stand_in, const MadeCheckpoints& made) const {
  bool is_listed = false;
  for (const MadeCheckpoint& each : made) {
    if (each.name != stand_in.name) continue;
    if (each.job_uid == options_.self.job_uid && !each.doubtful) return true;
    is_listed = true;
  }
  if (stand_in.name == options_.resumed_path) return true;
  if (is_listed) return false;
  const std::lock_guard lock(mutex_);
  return std::ranges::find(options_.before, stand_in) == options_.before.end();
}

Checkpoints CheckpointWatch::with_further(Checkpoints counted, const Found& found, MadeCheckpoints& listed) const {
  std::int64_t order = listed.empty() ? 0 : listed.back().order;
  for (const Checkpoint& each : found.further) {
    counted.push_back(each);
    const bool is_listed = std::ranges::find(listed, each.name, &MadeCheckpoint::name) != listed.end();
    if (!is_listed)  // the one that was resumed from
      listed.push_back(
          {.order = ++order, .name = each.name, .job_uid = options_.self.job_uid, .attempt = options_.self.attempt});
  }
  sort_newest_first(counted, listed);
  return counted;
}

}  // namespace reprise::agent
