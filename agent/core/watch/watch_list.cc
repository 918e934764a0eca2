// A watch writes down which checkpoints the trainers of this volume have made (made_checkpoints.h).
#include <algorithm>
#include <set>

#include "agent/core/fencing/own_places.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/watch/watch.h"

namespace reprise::agent {

using runtime::Result;

// Before anything of it can be taken for progress: what is not in the list can never go.
Result<void> CheckpointWatch::write_down(const Checkpoints& found) {
  std::unique_lock<Exclusion> one_at_a_time;
  if (options_.one_list_at_a_time) one_at_a_time = std::unique_lock(*options_.one_list_at_a_time);
  Checkpoints appeared = found;
  std::erase_if(appeared, [&, unreadable = volume_->format->unreadable().checkpoints](const Checkpoint& each) {
    return volume_->format->may_have_been_there(each.name) || unreadable.contains(each.name);
  });
  const MadeCheckpoints known = made();
  auto entries = newly_made(appeared, options_.before, known, options_.self, written_again(appeared));
  if (!entries.empty()) {
    // Saves that `keep` has deleted tell as well where this job saves.
    const MadeCheckpoints also_gone = with_gone(known, volume_->known_saves->get());
    doubt(entries, {.made = also_gone,
                    .before = options_.before,
                    .resumed_path = options_.resumed_path,
                    .saved = saved_before_look_,
                    .self = options_.self});
  }
  auto shown = look_for_writers(entries);
  MadeCheckpoints listed;
  auto outcome = list(entries, listed);
  saved_ = saved_with(saved_, listed, known);
  if (!outcome || listed.size() < entries.size()) return outcome;
  for (const Checkpoint& each : appeared)
    if (each.complete) completed_at_[each.name] = each.time;
  return shown;
}

// `listed`: those of which the volume says so from here on. Nothing may be concluded from any other: it comes again.
Result<void> CheckpointWatch::list(MadeCheckpoints& entries, MadeCheckpoints& listed) {
  for (MadeCheckpoint& entry : entries) {
    if (!options_.may_write()) return {};
    entry.order = last_order_ = std::max(entry.order, last_order_ + 1);  // others have read what was forgotten since
    if (auto written = write_made(*volume_, entry); !written) return written;
    listed.push_back(entry);
    const std::lock_guard lock(mutex_);
    made_.push_back(entry);
  }
  return {};
}

// False for a gang, whose ranks answer together: one of them may have been killed. True if the list says more than
// before.
bool CheckpointWatch::write_down_answers(const Checkpoints& found) {
  if (!options_.prunes || options_.gang || !options_.may_write()) return false;
  const std::lock_guard lock(mutex_);
  if (!ended_by_itself_) return false;
  bool any = false;
  for (const Checkpoint& each : found) {
    if (!each.complete || !is_newer(each, newest_part_)) continue;
    const auto entry = std::find_if(made_.rbegin(), made_.rend(), [&](const MadeCheckpoint& made) {
      return made.name == each.name && made.job_uid == options_.self.job_uid && made.attempt == options_.self.attempt;
    });
    if (entry == made_.rend() || entry->answered) continue;
    MadeCheckpoint answer = *entry;
    answer.answered = true;
    if (!write_made(*volume_, answer)) continue;
    *entry = std::move(answer);
    any = true;
  }
  return any;
}

// All finds of a look have come at one time.
void CheckpointWatch::note_saved_so_far() {
  std::unique_lock<Exclusion> one_at_a_time;
  if (options_.one_list_at_a_time) one_at_a_time = std::unique_lock(*options_.one_list_at_a_time);
  saved_before_look_ = saved_;
  saved_before_look_.in_any_attempt = !own_places(made(), options_.self.job_uid).empty();
}

// A process that writes a checkpoint holds it open, for as long as it has bytes to write.
Result<void> CheckpointWatch::look_for_writers(MadeCheckpoints& entries) {
  const auto is_open_question = [&](const MadeCheckpoint& each) {
    return each.doubtful && each.job_uid == options_.self.job_uid && each.attempt == options_.self.attempt;
  };
  if (std::ranges::none_of(entries, is_open_question)) return {};
  const OpenFiles open = volume_->files.open_for_writing(volume_->layout.root);
  Result<void> outcome;
  std::set<std::string> shown;
  for (MadeCheckpoint& each : entries) {
    if (!is_open_question(each)) continue;
    const std::string place = place_of(each);
    if (!shown.contains(place) && !shows_own(open, each.name)) continue;
    each.doubtful = false;
    if (!shown.insert(place).second || !options_.may_write()) continue;
    if (auto written = write_place(*volume_, options_.self, each.name); !written) outcome = std::move(written);
  }
  return outcome;
}

// Again at each look, for as long as anything is doubtful: by now somebody may have been seen who writes there.
Result<void> CheckpointWatch::settle() {
  MadeCheckpoints known = made();
  if (std::ranges::none_of(known, &MadeCheckpoint::doubtful)) return {};
  auto settled = settle_doubts(*volume_, known);
  auto shown = look_for_writers(known);
  const std::lock_guard lock(mutex_);
  for (MadeCheckpoint& each : made_)
    if (const auto same = std::ranges::find(known, each.order, &MadeCheckpoint::order); same != known.end())
      each.doubtful = each.doubtful && same->doubtful;
  return settled ? shown : settled;
}

// The checkpoints written again since a look before: whatever a clock says, they came later than all that was made
// until then.
std::set<std::string> CheckpointWatch::written_again(const Checkpoints& found) const {
  std::set<std::string> again;
  for (const Checkpoint& each : found) {
    const auto last = completed_at_.find(each.name);
    if (each.complete && last != completed_at_.end() && last->second != each.time) again.insert(each.name);
  }
  return again;
}

// A trainer that empties its directory takes the agent's own files along, or some of them: each is looked for, whether
// or not anything else of the agent's is there.
Result<void> CheckpointWatch::write_own_anew() {
  if (!options_.may_write()) return {};
  const auto lost = lost_of_list();
  if (!lost) return std::unexpected(lost.error());
  for (const MadeCheckpoint& each : *lost)
    if (auto written = write_made(*volume_, each); !written) return written;
  const auto choice = options_.resume_point.empty() ? Result<bool>(false) : write_choice_anew();
  if (!choice) return std::unexpected(choice.error());
  if (lost->empty() && !*choice) return {};
  const std::lock_guard lock(mutex_);
  wiped_ =
      ".reprise was deleted while the trainer ran, and was written anew: let the trainer empty a directory of its "
      "own below spec.checkpoint.path";
  seen_.left_alone = {wiped_};
  return {};
}

Result<MadeCheckpoints> CheckpointWatch::lost_of_list() const {
  MadeCheckpoints lost = made();
  if (lost.empty()) return lost;
  const auto names = volume_->files.list(volume_->layout.made());
  if (!names) return std::unexpected(names.error());
  std::erase_if(lost, [&](const MadeCheckpoint& each) {
    return std::ranges::binary_search(*names, volume_->layout.made(each.order).filename().string());
  });
  return lost;
}

// True if it was not there. Without it the next attempt begins from scratch once more, over what this one saves.
Result<bool> CheckpointWatch::write_choice_anew() const {
  const auto point = volume_->layout.resume_point(options_.self.attempt);
  const auto published = volume_->files.look(point, Links::Follow);
  if (!published) return std::unexpected(published.error());
  if (*published) return false;
  if (auto written = volume_->files.write(point, options_.resume_point, Sync::Yes); !written)
    return std::unexpected(written.error());
  return true;
}

// New checkpoints that nobody has seen yet, by their names alone: the question whether they and all others are complete
// takes many more calls, and this agent may not have the time.
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

// The next look tells what the volume rejects of it.
void CheckpointWatch::write_down_names() {
  if (!options_.prunes) return;
  if (const auto appeared = new_names()) static_cast<void>(write_down(*appeared));
}

}  // namespace reprise::agent
