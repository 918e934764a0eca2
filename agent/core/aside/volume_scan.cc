#include "agent/core/aside/volume_scan.h"

#include <set>
#include <string>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/aside/set_aside.h"
#include "agent/core/generations/halves/halves_by_pieces.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/recognise/stand_ins.h"

namespace reprise::agent {

namespace {

// In the volume of another job, which a look does not enter.
bool lies_with_others(const Volume& volume, const std::string& name) {
  for (std::string_view folder = directory_of(name); !folder.empty(); folder = directory_of(folder)) {
    const auto own = volume.files.look(volume.layout.root / folder / VolumeLayout::kOwn, Links::Stay);
    if (!own || *own) return true;
  }
  return false;
}

// A look that was cut short may have missed what trainers are known to have made, and what the operator knows: each is
// looked for where it was.
runtime::Result<void> add_known(const Volume& volume, const Environment& env, const MadeCheckpoints& made,
                                Checkpoints& all) {
  if (volume.format->unsearched().empty()) return {};
  std::set<std::string> names;
  for (const MadeCheckpoint& each : made) names.insert(each.name);
  if (!env.expected_checkpoint.empty()) names.insert(env.expected_checkpoint);
  for (const Checkpoint& each : all) names.erase(each.name);
  Checkpoints missed;
  for (const std::string& name : names) {
    if (!step_around(name).empty() || is_named_as_stand_in(last_part(name)) || lies_with_others(volume, name)) continue;
    auto seen = volume.format->look_closely(volume.files, volume.layout.root, name);
    if (!seen && says_lost(seen.error())) continue;
    if (!seen) return std::unexpected(seen.error());
    if (*seen && (*seen)->checkpoint.complete) missed.push_back(std::move((*seen)->checkpoint));
  }
  if (missed.empty()) return {};
  const auto set_aside = volume.set_aside->read(volume.files, volume.layout);
  if (!set_aside) return std::unexpected(set_aside.error());
  missed = without_set_aside(std::move(missed), *set_aside);
  all.insert(all.end(), missed.begin(), missed.end());
  return {};
}

}  // namespace

Holds held_by_volume(const Environment& env) {
  return env.parallelism > 1 && env.access == VolumeAccess::PerIndex ? Holds::OneRank : Holds::AllRanks;
}

HeldParts parts_held(const Environment& env) {
  if (held_by_volume(env) == Holds::AllRanks) return {};
  return {.volumes = env.parallelism, .processes = env.devices};
}

std::vector<HalfSave> demote_halves(const Volume& volume, Checkpoints& found, const MadeCheckpoints& made,
                                    Holds holds) {
  if (!volume.format->unsearched().empty()) return {};  // what is missing may lie there
  std::vector<HalfSave> halves = find_halves_with_pieces(found, made, holds, volume.known_saves->get());
  if (halves.empty()) return halves;
  demote(found, halves);
  sort_newest_first(found, made);
  return halves;
}

runtime::Result<VolumeScan> scan_volume(const Volume& volume, const Environment& env, MadeList list) {
  volume.known_saves->read(volume.files, volume.layout);
  auto all = volume.scan_all();
  if (!all) return std::unexpected(all.error());
  auto made = read_made(volume);
  if (!made) return std::unexpected(made.error());
  if (list == MadeList::Tidied)
    forget_gone(volume, *made, env.expected_checkpoint);
  else
    made = without_gone(volume, *std::move(made), env.expected_checkpoint);
  if (auto added = add_known(volume, env, *made, *all); !added) return std::unexpected(added.error());
  VolumeScan scan{.all = *all, .found = volume.format->certain(*std::move(all)), .made = *std::move(made)};
  sort_newest_first(scan.found, scan.made);
  scan.unreadable = volume.format->unreadable();
  scan.halves = demote_halves(volume, scan.found, scan.made, held_by_volume(env));
  return scan;
}

}  // namespace reprise::agent
