#include "agent/core/put_aside.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agent/core/checkpoint_order.h"
#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/linked_checkpoints.h"
#include "agent/core/torn_in_place.h"
#include "agent/core/unreadable/unreadable_checkpoints.h"
#include "agent/core/volume_of_others.h"
#include "agent/formats/lost_bytes.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// What a complete checkpoint links to stays where that finds it.
Result<void> move_unless_needed(const Volume& volume, const Result<std::set<std::string>>& needed,
                                const std::string& name, const std::filesystem::path& to) {
  if (!needed) return std::unexpected(needed.error());
  if (needed->contains(name)) return runtime::fail(ErrorClass::Conflict, "a complete checkpoint links to it");
  if (auto alone = holds_nothing_of_others(volume, name); !alone) return alone;
  return volume.format->put_aside(volume.files, volume.layout.root, name, to);
}

// What is torn of a save of which a whole part could not be moved: it alone may tell that the other is a half.
void hold_rest_of_save(const std::vector<HalfSave>& halves, const std::string& name, std::set<std::string>& held) {
  for (const HalfSave& each : halves)
    if (std::ranges::find(each.halves, name) != each.halves.end()) held.insert(each.lacks.begin(), each.lacks.end());
}

// One that gives no bytes may look complete for ever, and counts no more.
const Checkpoint& as_it_lies(const VolumeScan& scan, const Checkpoint& found) {
  const auto lying = std::ranges::find(scan.all, found.name, &Checkpoint::name);
  const bool is_lost = !found.complete && scan.unreadable.checkpoints.contains(found.name);
  return !is_lost || lying == scan.all.end() ? found : *lying;
}

// A model without a training's state, which only a start from scratch moves: nothing that comes later stands for it.
Result<bool> is_exported(const Volume& volume, const std::string& name) {
  const auto seen = volume.format->look_closely(volume.files, volume.layout.root, name);
  if (!seen && says_lost(seen.error())) return false;
  if (!seen) return std::unexpected(seen.error());
  return *seen && (*seen)->flaw && (*seen)->flaw->exported;
}

}  // namespace

Checkpoints without_data(Checkpoints found, const MadeCheckpoints& made) {
  std::erase_if(found, [&](const Checkpoint& each) { return each.complete && may_be_none(each, made); });
  return found;
}

void move_damaged(const Volume& volume, const Identity& self, const Checkpoints& found, Restored& restored) {
  const auto damaged = volume.set_aside->read_damaged(volume.files, volume.layout);
  if (!damaged || damaged->empty()) return;
  std::vector<std::string> names;
  for (const Checkpoint& each : *damaged) names.push_back(each.name);
  const auto needed = needed_by_complete(volume, found, names);
  for (const Checkpoint& each : *damaged) {
    const auto completed = volume.format->completed(volume.files, volume.layout.root / each.name);
    if (!completed || *completed != each.time) continue;
    const auto to = volume.layout.quarantine() / (VolumeLayout::aside(each.name) + "." + std::to_string(self.attempt));
    const auto moved = move_unless_needed(volume, needed, each.name, to);
    restored.notes.push_back("damaged checkpoint " + each.name +
                             (moved ? " was moved to .reprise/quarantine"
                                    : " was left in place, and counts no more: " + moved.error().message));
  }
}

Result<void> put_aside(const Volume& volume, const Identity& self, const ToPutAside& question, Restored& restored) {
  const auto& [scan, choice, kept, format_is_certain, unproven] = question;
  const Checkpoints& found = scan.found;
  const auto unreadable = not_to_be_deleted(scan);
  Checkpoints in_place;
  for (const Checkpoint& each : found) {
    if (std::ranges::find(choice.left_out, each.name) == choice.left_out.end()) continue;
    restored.notes.push_back(each.name + " was left in place, and does not count as a checkpoint any more");
    in_place.push_back(as_it_lies(scan, each));
  }
  std::vector<std::string> torn_in_place;
  std::set<std::string> renounced, held;
  const auto of_halves = names_in(scan.halves);
  const Checkpoints followed = format_is_certain ? found : without_data(found, restored.made);
  const auto needed = needed_by_complete(volume, followed, choice.put_aside);
  for (const std::string& name : choice.put_aside) {
    const auto checkpoint =
        std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.name == name; });
    const bool complete = checkpoint != found.end() && checkpoint->complete;
    if (complete) renounced.insert(name);
    const bool ours = made_by(self.job_uid, name, restored.made);
    const auto exported = complete ? Result<bool>(false) : is_exported(volume, name);
    if (!exported) return std::unexpected(exported.error());
    const bool goes_later = !complete && ours && !unreadable.contains(name) && !*exported;
    const bool ahead = ours && std::ranges::find(choice.ahead, name) != choice.ahead.end();
    const bool is_unproven = complete && unproven.contains(name);
    const auto place = goes_later    ? volume.layout.torn()
                       : is_unproven ? volume.layout.unproven()
                       : ahead       ? volume.layout.ahead()
                                     : volume.layout.quarantine();
    const auto to = place / (VolumeLayout::aside(name) + "." + std::to_string(self.attempt));
    const Result<void> moved = held.contains(name)
                                   ? runtime::fail(ErrorClass::Conflict, "a whole part of its save could not be moved")
                                   : move_unless_needed(volume, needed, name, to);
    if (is_unproven) restored.unproven.push_back(*checkpoint);
    const std::string what = (is_unproven                 ? "unproven checkpoint "
                              : complete                  ? "old checkpoint "
                              : *exported                 ? "model "
                              : unreadable.contains(name) ? "unreadable checkpoint "
                                                          : "torn checkpoint ") +
                             name;
    if (moved) {
      restored.notes.push_back(what + " was moved to " + ".reprise/" + place.filename().string());
      std::erase_if(restored.before, [&](const auto& each) { return each.name == name; });
    } else {
      restored.notes.push_back(what + " was left in place, and does not count any more: " + moved.error().message);
      hold_rest_of_save(scan.halves, name, held);
      // What this job has made goes from where it is, once a newer one is durable. What is torn of a save goes on
      // telling that the rest of it is a half.
      if (checkpoint != found.end() && !goes_later && !of_halves.contains(name))
        in_place.push_back(as_it_lies(scan, *checkpoint));
      if (goes_later) torn_in_place.push_back(name);
    }
  }
  const TornRestore torn{.self = self, .made = restored.made, .found = followed, .kept = kept};
  if (auto dropped = drop_torn_in_place(volume, torn, torn_in_place, restored.notes); !dropped)
    restored.notes.push_back(dropped.error().message);
  const auto written = SetAside::add(volume.files, volume.layout, in_place, self);
  const bool counts = std::ranges::any_of(
      in_place, [&](const Checkpoint& each) { return each.complete && !unreadable.contains(each.name); });
  if (!written && counts) return written;
  forget(volume, restored.made, renounced);
  if (written) return {};
  restored.notes.push_back("what was left in place could not be written down: " + written.error().message);
  return {};
}

}  // namespace reprise::agent
