// Checkpoints that a trainer has written where they do not survive.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::simulator {

// What was written below `directory` (three levels, without `except`) since then and looks like a checkpoint: a
// directory named like one, or a file of weights.
[[nodiscard]] std::vector<std::string> checkpoints_elsewhere(const std::filesystem::path& directory,
                                                             const std::filesystem::path& except,
                                                             std::filesystem::file_time_type since);

}  // namespace reprise::simulator
