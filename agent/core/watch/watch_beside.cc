// What a rank knows that does not keep the volume: the list that index 0 writes, before anything counts, and what was
// there before the trainer ran. By both it orders what it finds as index 0 does: another training's checkpoint with a
// higher number is no progress of any rank.
#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

using runtime::Result;

namespace {

// Last by this attempt, as the list says.
bool is_made_by(const Identity& self, const std::string& name, const MadeCheckpoints& known) {
  const std::int32_t attempt = last_attempt_at(name, known, self.job_uid);
  return attempt > 0 && attempt == self.attempt;
}

}  // namespace

// At the beginning of a look. A list that cannot be read lets it say nothing of any checkpoint.
Result<void> CheckpointWatch::look_beside() {
  auto known = made();
  if (auto read = read_made_since(*volume_, known); !read) return read;
  Checkpoints before = options_.before;
  if (!knows_before_) {
    volume_->known_saves->read(volume_->files, volume_->layout);
    auto found = volume_->scan();
    if (!found) return std::unexpected(found.error());
    before = *std::move(found);
    std::ranges::move(volume_->format->stand_ins(), std::back_inserter(before));
  }
  // Index 0 knows better what came when: its trainer may have saved before this one was started.
  std::erase_if(before, [&](const Checkpoint& each) { return is_made_by(options_.self, each.name, known); });
  const std::lock_guard lock(mutex_);
  options_.before = std::move(before);
  knows_before_ = true;
  made_ = std::move(known);
  return {};
}

// What has appeared since is at the end of the list in a moment.
MadeCheckpoints CheckpointWatch::made_as_of(const Checkpoints& found, MadeCheckpoints known) const {
  if (options_.prunes) return known;
  const std::lock_guard lock(mutex_);
  if (!knows_before_) return known;
  Checkpoints appeared = found;
  std::erase_if(appeared, [&, unreadable = volume_->format->unreadable().checkpoints](const Checkpoint& each) {
    return volume_->format->may_have_been_there(each.name) || unreadable.contains(each.name);
  });
  for (MadeCheckpoint& each : newly_made(appeared, options_.before, known, options_.self))
    known.push_back(std::move(each));
  return known;
}

bool CheckpointWatch::is_ignored(const Checkpoint& each, const MadeCheckpoints& known) const {
  if (options_.prunes) return std::ranges::find(options_.ignored, each) != options_.ignored.end();
  if (!options_.ignores_before || is_made_by(options_.self, each.name, known)) return false;
  const std::lock_guard lock(mutex_);
  return !knows_before_ || std::ranges::find(options_.before, each) != options_.before.end();
}

}  // namespace reprise::agent
