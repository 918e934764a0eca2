// The best checkpoint so far, as a newer one names it: a library loads it again when the training ends (Trainer's
// load_best_model_at_end, Lightning's ckpt_path="best").
#pragma once

#include <set>
#include <string>

#include "agent/formats/checkpoint.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

// The last parts of the paths under keys that say "best" in a checkpoint's own state: in a directory in Trainer's
// trainer_state.json, in a file in the object that torch.save has written. What cannot be read as either names none.
[[nodiscard]] runtime::Result<std::set<std::string>> best_named_in(const VolumeFiles& files,
                                                                   const VolumeFiles::Path& root,
                                                                   const Checkpoint& checkpoint);

}  // namespace reprise::agent
