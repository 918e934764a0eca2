// The file in which a library writes down which of its checkpoints beside it is the newest: DeepSpeed's `latest`. The
// library resumes from what it names, torn or not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/volume/volume_files.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// The checkpoint that the tracker file in `directory` names; nothing: there is none.
[[nodiscard]] runtime::Result<std::optional<std::string>> read_tracker(const VolumeFiles& files,
                                                                       const std::filesystem::path& directory);
// An empty name removes it: the library then starts anew.
[[nodiscard]] runtime::Result<void> write_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                                  std::string_view checkpoint);

}  // namespace reprise::agent
