// Whether two runs of one job ended with the same weights: their newest complete checkpoints, compared.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::rehearsal {

struct ComparedVolume {
  std::filesystem::path one, other;
  std::string format;  // spec.checkpoint.format
};

// Sentences about what differs; empty: nothing does. Without a command all files of both checkpoints must be equal,
// byte by byte. With one, `COMMAND ONE OTHER` is run by the shell with the directories of both checkpoints; 0 says that
// they are equal; what it prints is kept in `output`.
[[nodiscard]] std::vector<std::string> compare_weights(const ComparedVolume& volumes, const std::string& command,
                                                       const std::filesystem::path& output);

}  // namespace reprise::rehearsal
