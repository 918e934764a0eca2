#include "agent/watch.h"

#include <algorithm>

#include "agent/choose_pruned.h"
#include "agent/prune.h"

namespace reprise::agent {
namespace {

using runtime::Result;

std::optional<Checkpoint> newest_complete(const Checkpoints& found) {
  const auto newest = std::find_if(found.begin(), found.end(), [](const auto& each) { return each.complete; });
  return newest == found.end() ? std::nullopt : std::optional(*newest);
}

}  // namespace

bool is_newer(const Checkpoint& candidate, const std::optional<Checkpoint>& baseline) {
  return !baseline || candidate.step > baseline->step ||
         (candidate.step == baseline->step && candidate.time != baseline->time);
}

Result<Checkpoints> CheckpointWatch::scan() const {
  auto found = volume_->scan();
  if (found) {
    std::erase_if(*found, [&](const Checkpoint& each) {
      return std::find(options_.ignored.begin(), options_.ignored.end(), each) != options_.ignored.end();
    });
  }
  return found;
}

Result<std::optional<Checkpoint>> CheckpointWatch::newest_now() const {
  const auto found = scan();
  if (!found) return std::unexpected(found.error());
  return newest_complete(*found);
}

CheckpointWatch::Seen CheckpointWatch::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void CheckpointWatch::look() {
  const std::lock_guard one_at_a_time(looking_);
  const auto outcome = look_once();
  const std::lock_guard lock(mutex_);
  seen_.problem = outcome ? std::string() : outcome.error().message;
}

Result<void> CheckpointWatch::look_once() {
  const auto found = scan();
  if (!found) return std::unexpected(found.error());
  const auto newest = newest_complete(*found);
  const auto before = seen();
  if (!newest || (before.durable && !is_newer(*newest, before.durable))) return {};
  {
    const std::lock_guard lock(mutex_);
    seen_.newest = newest;
  }
  if (auto synced = volume_->files.sync_volume(volume_->layout.root); !synced) return synced;
  const std::int64_t size = VolumeFiles::size_of(volume_->layout.root / newest->name);
  {
    const std::lock_guard lock(mutex_);
    seen_.durable = newest;
    seen_.size_bytes = size;
  }
  options_.notify();
  if (!options_.prunes || !options_.may_write()) return {};
  if (!before.durable) empty_trash(*volume_);
  return prune(*volume_, choose_pruned({.found = *found,
                                        .durable_step = newest->step,
                                        .resumed_from = options_.resumed_from,
                                        .gang = options_.gang,
                                        .keep = options_.keep}));
}

}  // namespace reprise::agent
