// A single file that a script, Flax or Detectron2 has written, as PlainLayout judges it.
#pragma once

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"
#include "agent/formats/structure/torch/pickle.h"

namespace reprise::agent {

// Complete when the zip archive is whole, or the map of Flax'. Somebody else's where no optimizer's state is in it, if
// that is called for: always of a file that is named as Flax' or Detectron2's; and of one of Detectron2's without
// `last_checkpoint` beside it, in which its checkpointer names the newest. What was looked into once and holds an
// optimizer's state is remembered in `with_optimizer`.
[[nodiscard]] runtime::Result<Judgement> judge_plain_file(const CheckpointContents& contents, bool needs_optimizer,
                                                          PassedFiles& with_optimizer);

// The same of a pickle that is no file of torch.save. Somebody else's where it begins as none: compressed, perhaps, so
// that nothing tells where it ends.
[[nodiscard]] runtime::Result<Judgement> judge_pickle_file(const CheckpointContents& contents);

// True if a key of the object itself says so: "optimizer_states", "optim".
[[nodiscard]] bool names_optimizer(const Pickle& pickle);

}  // namespace reprise::agent
