// Checkpoints that a trainer has written where they do not survive, or in a form that is not taken for a checkpoint.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::rehearsal {

// Finds what looks like a checkpoint and was written since then below `directories` (three levels, without `except`;
// empty names are left out): a directory named like one, or a file of weights. Each once.
[[nodiscard]] std::vector<std::string> checkpoints_elsewhere(const std::vector<std::filesystem::path>& directories,
                                                             const std::filesystem::path& except,
                                                             std::filesystem::file_time_type since);

// Lists the entries of a checkpoint volume that are not complete to the agent, and why, in the words of `reprise-agent
// check`: "step_40: lacks optimizer.pt". Where the agent knows of nothing like a checkpoint, the entries of the volume:
// "last has no step in its name". At most three; hidden names are left out. `format`: spec.checkpoint.format.
[[nodiscard]] std::vector<std::string> not_laid_out(const std::filesystem::path& volume, const std::string& format);

}  // namespace reprise::rehearsal
