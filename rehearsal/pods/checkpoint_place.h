// Chooses where the checkpoints of a rehearsal lie, and how the trainer finds them.
#pragma once

#include <string>

namespace reprise::rehearsal {

struct CheckpointPlaceFacts {
  bool is_directory = false;  // spec.checkpoint.path, on this machine
  bool writable = false;
  bool empty = false;
  bool may_mount = false;
  bool shared_by_all = true;  // one volume for all ranks, and the only job with this path
};

enum class CheckpointPlace {
  AsItStands,  // the path itself
  Mounted,     // a private directory, mounted at the path for the job's processes alone
  Named,       // a private directory that $REPRISE_CHECKPOINT_DIR names
  Nowhere,     // a script with the path written into it would write to existing files: not to be rehearsed
};

// Never chooses a directory that holds files already: a rehearsal would prune them like its own.
[[nodiscard]] CheckpointPlace choose_place(const CheckpointPlaceFacts& facts);
// One sentence for the report; for Nowhere it tells the person who rehearses what was found and what to do.
[[nodiscard]] std::string explain(CheckpointPlace place, const CheckpointPlaceFacts& facts, const std::string& path,
                                  const std::string& directory);

}  // namespace reprise::rehearsal
