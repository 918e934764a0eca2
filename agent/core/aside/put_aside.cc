#include "agent/core/aside/put_aside.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/aside/torn_in_place.h"
#include "agent/core/fencing/volume_of_others.h"
#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/retain/linked_checkpoints.h"
#include "agent/core/unreadable/unreadable_checkpoints.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// A checkpoint to which a complete one links stays where that finds it.
Result<void> move_unless_needed(const Volume& volume, const Result<std::set<std::string>>& needed,
                                const std::string& name, const std::filesystem::path& to) {
  if (!needed) return std::unexpected(needed.error());
  if (needed->contains(name)) return runtime::fail(ErrorClass::Conflict, "a complete checkpoint links to it");
  if (auto alone = holds_nothing_of_others(volume, name); !alone) return alone;
  return volume.format->put_aside(volume.files, volume.layout.root, name, to);
}

// Holds the torn rest of a save of which a whole part could not be moved: it alone may tell that the other is a half.
void hold_rest_of_save(const std::vector<HalfSave>& halves, const std::string& name, std::set<std::string>& held) {
  for (const HalfSave& each : halves)
    if (std::ranges::find(each.halves, name) != each.halves.end()) held.insert(each.lacks.begin(), each.lacks.end());
}

// A checkpoint that gives no bytes may look complete for ever, and counts no more.
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

namespace {

// The place to which a checkpoint goes that is to be put aside.
struct Going {
  std::string what;             // for people
  std::filesystem::path place;  // below .reprise
  bool goes_later = false;      // deleted once a newer one is durable
};

// Facts about each one: made by this job, whole, and among those that give no bytes.
struct OneAside {
  const std::string& name;
  bool ours = false, complete = false, is_unreadable = false;
};

Result<Going> place_of(const Volume& volume, const ToPutAside& question, const OneAside& one) {
  const auto& [name, ours, complete, is_unreadable] = one;
  const auto exported = complete ? Result<bool>(false) : is_exported(volume, name);
  if (!exported) return std::unexpected(exported.error());
  const bool is_old = complete || question.choice.not_torn.contains(name);
  const bool goes_later = !is_old && ours && !is_unreadable && !*exported;
  const bool ahead = ours && std::ranges::find(question.choice.ahead, name) != question.choice.ahead.end();
  const bool is_unproven = complete && question.unproven.contains(name);
  const VolumeLayout& layout = volume.layout;
  return Going{.what = (is_unproven     ? "unproven checkpoint "
                        : is_old        ? "old checkpoint "
                        : *exported     ? "model "
                        : is_unreadable ? "unreadable checkpoint "
                                        : "torn checkpoint ") +
                       name,
               .place = goes_later    ? layout.torn()
                        : is_unproven ? layout.unproven()
                        : ahead       ? layout.ahead()
                                      : layout.quarantine(),
               .goes_later = goes_later};
}

// The checkpoints left where the volume moves nothing.
struct LeftInPlace {
  Checkpoints written_down{};
  std::vector<std::string> torn{};  // this job's torn ones: they go from where they are
};

LeftInPlace leave_out(const ToPutAside& question, Restored& restored) {
  LeftInPlace left;
  for (const Checkpoint& each : question.scan.found) {
    if (std::ranges::find(question.choice.left_out, each.name) == question.choice.left_out.end()) continue;
    restored.notes.push_back(each.name + " was left in place, and does not count as a checkpoint any more");
    left.written_down.push_back(as_it_lies(question.scan, each));
  }
  return left;
}

}  // namespace

Result<void> put_aside(const Volume& volume, const Identity& self, const ToPutAside& question, Restored& restored) {
  const auto& [scan, choice, kept, format_is_certain, unproven] = question;
  const Checkpoints& found = scan.found;
  LeftInPlace left = leave_out(question, restored);
  std::set<std::string> renounced, held;
  const auto unreadable = not_to_be_deleted(scan);
  const auto of_halves = names_in(scan.halves);
  const Checkpoints followed = format_is_certain ? found : without_data(found, restored.made);
  const auto needed = needed_by_complete(volume, followed, choice.put_aside);
  for (const std::string& name : choice.put_aside) {
    const auto at = std::ranges::find(found, name, &Checkpoint::name);
    const Checkpoint* const checkpoint = at == found.end() ? nullptr : &*at;
    if (checkpoint != nullptr && checkpoint->complete) {
      renounced.insert(name);
      if (unproven.contains(name)) restored.unproven.push_back(*checkpoint);
    }
    const auto going = place_of(volume, question,
                                {.name = name,
                                 .ours = made_by(self.job_uid, name, restored.made),
                                 .complete = checkpoint != nullptr && checkpoint->complete,
                                 .is_unreadable = unreadable.contains(name)});
    if (!going) return std::unexpected(going.error());
    const auto to = going->place / (VolumeLayout::aside(name) + "." + std::to_string(self.attempt));
    const Result<void> moved = held.contains(name)
                                   ? runtime::fail(ErrorClass::Conflict, "a whole part of its save could not be moved")
                                   : move_unless_needed(volume, needed, name, to);
    if (moved) {
      restored.notes.push_back(going->what + " was moved to .reprise/" + going->place.filename().string());
      std::erase_if(restored.before, [&](const auto& each) { return each.name == name; });
      continue;
    }
    restored.notes.push_back(going->what + " was left in place, and does not count any more: " + moved.error().message);
    hold_rest_of_save(scan.halves, name, held);
    // The torn rest of a save goes on telling that the rest of it is a half.
    if (checkpoint != nullptr && !going->goes_later && !of_halves.contains(name))
      left.written_down.push_back(as_it_lies(scan, *checkpoint));
    if (going->goes_later) left.torn.push_back(name);
  }
  const TornRestore torn{.self = self, .made = restored.made, .found = followed, .kept = kept};
  if (auto dropped = drop_torn_in_place(volume, torn, left.torn, restored.notes); !dropped)
    restored.notes.push_back(dropped.error().message);
  const auto written = SetAside::add(volume.files, volume.layout, left.written_down, self);
  const bool counts = std::ranges::any_of(
      left.written_down, [&](const Checkpoint& each) { return each.complete && !unreadable.contains(each.name); });
  if (!written && counts) return written;
  forget(volume, restored.made, renounced);
  if (written) return {};
  restored.notes.push_back("what was left in place could not be written down: " + written.error().message);
  return {};
}

}  // namespace reprise::agent
