#include "agent/core/volume_scan.h"

#include <utility>

#include "agent/core/checkpoint_order.h"

namespace reprise::agent {

Holds held_by_volume(const Environment& env) {
  return env.parallelism > 1 && env.access == VolumeAccess::PerIndex ? Holds::OneRank : Holds::AllRanks;
}

std::vector<HalfSave> demote_halves(const Volume& volume, Checkpoints& found, const MadeCheckpoints& made,
                                    Holds holds) {
  if (!volume.format->unsearched().empty()) return {};  // what is missing may lie there
  std::vector<HalfSave> halves = find_half_saves(found, made, holds);
  if (halves.empty()) return halves;
  demote(found, halves);
  sort_newest_first(found, made);
  return halves;
}

runtime::Result<VolumeScan> scan_volume(const Volume& volume, const Environment& env, MadeList list) {
  auto all = volume.scan_all();
  if (!all) return std::unexpected(all.error());
  auto made = read_made(volume);
  if (!made) return std::unexpected(made.error());
  if (list == MadeList::Tidied)
    forget_gone(volume, *made, env.expected_checkpoint);
  else
    made = without_gone(volume, *std::move(made), env.expected_checkpoint);
  VolumeScan scan{.all = *all, .found = volume.format->certain(*std::move(all)), .made = *std::move(made)};
  sort_newest_first(scan.found, scan.made);
  scan.halves = demote_halves(volume, scan.found, scan.made, held_by_volume(env));
  return scan;
}

}  // namespace reprise::agent
