#include "agent/core/proofs/by_sums.h"

#include <algorithm>

namespace reprise::agent {

void prove_newest_by_sums(const Volume& volume, const Identity& self, const VolumeScan& scan, ReadingTime& time,
                          Unproven& unproven, std::vector<std::string>& notes) {
  if (unproven.names.empty()) return;
  const auto newest = std::ranges::find_if(scan.found, &Checkpoint::complete);
  if (newest == scan.found.end() || !unproven.names.contains(newest->name)) return;
  const Checkpoints parts = save_of(*newest, self, scan);
  if (!std::ranges::all_of(parts, &Checkpoint::complete)) return;
  std::vector<std::string> said;
  for (const Checkpoint& each : parts) {
    const auto all = read_in_time(volume, each, time);
    if (!all.read || all.read->flaw || !all.read->unsummed.empty()) return;
    said.push_back("each file of " + all.said + " bears a sum, and all hold: it counts as proven");
  }
  notes.insert(notes.end(), said.begin(), said.end());
  for (const Checkpoint& each : parts) {
    unproven.names.erase(each.name);
    unproven.by_sums.insert(each.name);
  }
}

}  // namespace reprise::agent
