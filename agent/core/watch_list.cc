// Which checkpoints the trainers of this volume have made: what a watch writes down of it (made_checkpoints.h).
#include <algorithm>
#include <set>

#include "agent/core/watch.h"

namespace reprise::agent {

using runtime::Result;

// Before anything of it can be taken for progress: what is not in the list can never go.
Result<void> CheckpointWatch::write_down(const Checkpoints& found) {
  std::unique_lock<Exclusion> one_at_a_time;
  if (options_.one_list_at_a_time) one_at_a_time = std::unique_lock(*options_.one_list_at_a_time);
  Checkpoints appeared = found;
  std::erase_if(appeared, [&](const Checkpoint& each) { return volume_->format->may_have_been_there(each.name); });
  for (const MadeCheckpoint& entry :
       newly_made(appeared, options_.before, made(), options_.self, written_again(appeared))) {
    if (!options_.may_write()) return {};
    if (auto written = write_made(*volume_, entry); !written) return written;
    const std::lock_guard lock(mutex_);
    made_.push_back(entry);
  }
  for (const Checkpoint& each : appeared)
    if (each.complete) completed_at_[each.name] = each.time;
  return {};
}

// Since a look before: whatever a clock says, that came later than all that was made until then.
std::set<std::string> CheckpointWatch::written_again(const Checkpoints& found) const {
  std::set<std::string> again;
  for (const Checkpoint& each : found) {
    const auto last = completed_at_.find(each.name);
    if (each.complete && last != completed_at_.end() && last->second != each.time) again.insert(each.name);
  }
  return again;
}

// A trainer that empties its directory takes the agent's own files along.
Result<void> CheckpointWatch::write_list_anew() {
  const MadeCheckpoints known = made();
  if (known.empty() || !options_.may_write()) return {};
  const auto there = volume_->files.look(volume_->layout.made(), Links::Follow);
  if (!there) return std::unexpected(there.error());
  if (*there) return {};
  for (const MadeCheckpoint& each : known)
    if (auto written = write_made(*volume_, each); !written) return written;
  const auto point = volume_->layout.resume_point(options_.self.attempt);
  const auto published = volume_->files.look(point, Links::Follow);
  if (!published) return std::unexpected(published.error());
  if (!*published && !options_.resume_point.empty())
    if (auto written = volume_->files.write(point, options_.resume_point, Sync::Yes); !written) return written;
  const std::lock_guard lock(mutex_);
  wiped_ =
      ".reprise was deleted while the trainer ran, and was written anew: let the trainer empty a directory of its "
      "own below spec.checkpoint.path";
  seen_.left_alone = {wiped_};
  return {};
}

// What nobody has seen yet, by its name alone: whether it and all others are complete takes many calls more, and this
// agent may not have the time.
Result<Checkpoints> CheckpointWatch::new_names() const {
  const auto known = made();
  std::optional<Checkpoints> set_aside;
  return volume_->format->glance(volume_->files, volume_->layout.root, [&](const std::string& name) -> Result<bool> {
    const auto has_name = [&](const auto& each) { return each.name == name; };
    if (std::ranges::any_of(options_.before, has_name) || std::ranges::any_of(known, has_name)) return true;
    if (!set_aside) {
      auto read = volume_->set_aside->read(volume_->files, volume_->layout);
      if (!read) return std::unexpected(read.error());
      set_aside = *std::move(read);
    }
    return std::ranges::any_of(*set_aside, has_name);
  });
}

// Whatever the volume rejects of it the next look tells.
void CheckpointWatch::write_down_names() {
  if (!options_.prunes) return;
  if (const auto appeared = new_names()) static_cast<void>(write_down(*appeared));
}

}  // namespace reprise::agent
