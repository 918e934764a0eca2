#include "agent/core/proofs/proof_ledger.h"

#include <algorithm>
#include <utility>

namespace reprise::agent {

ProvenList with_proven(ProvenList list, const SyncSeen& seen) {
  std::erase_if(list.checkpoints, [&](const ProvenCheckpoint& each) {
    if (seen.suspect.contains(each.name)) return true;
    const auto now = std::ranges::find(seen.found, each.name, &Checkpoint::name);
    if (now == seen.found.end()) return seen.saw_all;
    return !now->complete || now->time != each.completed;
  });
  // The oldest first: where the list has no room for all, these are the ones to go.
  for (auto each = seen.found.rbegin(); each != seen.found.rend(); ++each) {
    const auto shape = seen.shapes.find(each->name);
    if (!each->complete || shape == seen.shapes.end() || seen.suspect.contains(each->name)) continue;
    const auto known = std::ranges::find(list.checkpoints, each->name, &ProvenCheckpoint::name);
    if (known != list.checkpoints.end())
      known->shape = shape->second;
    else
      list.checkpoints.push_back({.name = each->name, .completed = each->time, .shape = shape->second});
  }
  return list;
}

bool is_suspect(const WriteErrors& errors, const std::optional<runtime::WallTime>& born) {
  return errors.count > 0 && (!born || *born <= errors.last);
}

}  // namespace reprise::agent
