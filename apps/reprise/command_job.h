// Makes a ResumableJob of a bare command, for users without a manifest.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::apps {

// Writes a job as JSON, which is YAML: named after the script, one volume for all ranks, large enough for anything, at
// `checkpoints`.
[[nodiscard]] std::string command_job(const std::vector<std::string>& command, const std::filesystem::path& checkpoints,
                                      int ranks);

}  // namespace reprise::apps
