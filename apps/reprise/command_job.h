// A ResumableJob around a bare command, for who has no manifest yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::apps {

// As JSON, which is YAML. One volume for all ranks, large enough for anything, at `checkpoints`; named after the
// script.
[[nodiscard]] std::string command_job(const std::vector<std::string>& command, const std::filesystem::path& checkpoints,
                                      int ranks);

}  // namespace reprise::apps
