// Compares the weights at the end of two runs of one job: their newest complete checkpoints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::rehearsal {

struct ComparedVolume {
  std::filesystem::path one, other;
  std::string format;  // spec.checkpoint.format
};

// Returns sentences about the differences; empty: there are none. Without a command all files of both checkpoints must
// be equal, byte by byte. With one, `COMMAND ONE OTHER` is run by the shell with the directories of both checkpoints; 0
// means that they are equal; its output is kept in `output`.
[[nodiscard]] std::vector<std::string> compare_weights(const ComparedVolume& volumes, const std::string& command,
                                                       const std::filesystem::path& output);

}  // namespace reprise::rehearsal
