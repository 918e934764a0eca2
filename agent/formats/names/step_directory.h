// Directories that name a step: what lies in one is a part of that step's checkpoint, and none of its own. Pure.
#pragma once

#include <string_view>

namespace reprise::agent {

// The outermost directory in the path, below the root, that names the step which the last part of the path belongs to:
// "step_20" of "step_20/rank_0" and "step_20/trainer/checkpoint-20.pt", "run/20" of "run/20/0". Empty: there is none.
// A checkpoint of a step well beyond that one is no part of it ("iter0-ckpt/checkpoint-100"), and what a run has been
// set to is none ("max_steps_1000", "batch_32"; names/name_words.h), nor is the size of its model ("ckpt-7b"). A number
// alone, an epoch, and a step behind other words ("llama-step-20") may as well be called so for a run's sake: what
// names a step of another number with a word of its own in there ("0/checkpoints/epoch=1-step=5.ckpt",
// "epoch_3/step_100") is a checkpoint.
[[nodiscard]] std::string_view step_around(std::string_view path);

// A directory for one part of a save, or for a program that saves beside others: "_actor", "optimizer".
[[nodiscard]] bool names_part_of_a_save(std::string_view directory);

}  // namespace reprise::agent
