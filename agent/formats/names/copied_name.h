// Names of what somebody keeps beside a save: "step_20.bak", "step_20_old", "step_20 (1)", "old_step_20". Pure.
#pragma once

#include <string_view>

namespace reprise::agent {

// True if a directory or a file has the name of a checkpoint with a word or a sign for a copy behind its number or in
// front of it. Words that are a part of what a model is called say none ("copy-task-step_20").
[[nodiscard]] bool names_copy(std::string_view name);

// True if one of the directories in a path holds copies of others: "run_old", "checkpoints.bak", "old". A `backup` may
// be what a trainer calls the place of its saves.
[[nodiscard]] bool is_place_of_copies(std::string_view directories);

}  // namespace reprise::agent
