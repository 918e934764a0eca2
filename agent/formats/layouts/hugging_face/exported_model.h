// A model without the state of a training, as Trainer's save_model() and save_pretrained() of its libraries leave it in
// a directory that may be called like a checkpoint.
#pragma once

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Weights are in it, and nothing by its name that a training goes on from: no state of a trainer, an optimizer, a
// scheduler or random numbers, no shards of FSDP or DeepSpeed.
[[nodiscard]] runtime::Result<bool> holds_model_alone(const CheckpointContents& contents);

// The flaw that shows that an exported model was cut off: a file of a known kind that does not go on to its end, or a
// missing one of those that count themselves or that an index names.
[[nodiscard]] Flawed check_model_alone(const CheckpointContents& contents);

}  // namespace reprise::agent
