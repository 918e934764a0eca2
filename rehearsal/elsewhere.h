// Checkpoints that a trainer has written where they do not survive, or so that they are not taken for checkpoints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::rehearsal {

// What was written below `directories` (three levels, without `except`; empty names are left out) since then and looks
// like a checkpoint: a directory named like one, or a file of weights. Each once.
[[nodiscard]] std::vector<std::string> checkpoints_elsewhere(const std::vector<std::filesystem::path>& directories,
                                                             const std::filesystem::path& except,
                                                             std::filesystem::file_time_type since);

// What lies on a checkpoint volume and is no checkpoint to the agent, and why: "model.pt is a file", "last has no step
// in its name", "run1/step-40 is not at the top". At most three; hidden names are left out.
[[nodiscard]] std::vector<std::string> not_laid_out(const std::filesystem::path& volume);

}  // namespace reprise::rehearsal
