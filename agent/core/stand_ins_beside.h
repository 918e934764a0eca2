// What stands for the newest checkpoint under a name without a step: Lightning's `last.ckpt`, fairseq's
// `checkpoint_last.pt`. Scans leave it out beside numbered ones, and a training that begins anew is not to find it.
#pragma once

#include "agent/core/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// Those in the directories of `found` and not among them. Links are none.
[[nodiscard]] runtime::Result<Checkpoints> stand_ins_beside(const Volume& volume, const Checkpoints& found);

}  // namespace reprise::agent
