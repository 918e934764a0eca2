// Decides what one sync proves: a pure decision over what was seen before it and after it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "agent/core/proofs/proven_list.h"
#include "agent/formats/checkpoint.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

struct SyncSeen {
  Checkpoints found{};                              // on the volume
  bool saw_all = true;                              // false: the look was cut short, and what it misses may be there
  std::map<std::string, CheckpointShape> shapes{};  // by name, of those that were the same before the sync and after it
  std::set<std::string> suspect{};                  // checkpoints of which something may be what could not be written
};

// The list afterwards: what is complete, was seen before and after, and is not suspect; of what is gone, or was
// completed anew, nothing.
[[nodiscard]] ProvenList with_proven(ProvenList list, const SyncSeen& seen);

// Errors stick: what was begun before one was told may have lost bytes by it, whatever a later sync says. `born`: the
// first of its files; empty: not known, so that it may be older.
[[nodiscard]] bool is_suspect(const WriteErrors& errors, const std::optional<runtime::WallTime>& born);

}  // namespace reprise::agent
