// Checkpoints that a trainer has written where they do not survive.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::simulator {

// What was written below `directories` (three levels, without `except`; empty names are left out) since then and looks
// like a checkpoint: a directory named like one, or a file of weights. Each once.
[[nodiscard]] std::vector<std::string> checkpoints_elsewhere(const std::vector<std::filesystem::path>& directories,
                                                             const std::filesystem::path& except,
                                                             std::filesystem::file_time_type since);

}  // namespace reprise::simulator
