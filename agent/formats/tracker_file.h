// The file in which a library writes down which of its checkpoints beside it is the newest: DeepSpeed's `latest`,
// Megatron's `latest_checkpointed_iteration.txt`. The library resumes from what it names, torn or not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/volume/volume_files.h"
#include "runtime/base/error.h"

namespace reprise::agent {

struct Tracker {
  std::string_view file;
  std::string checkpoint;  // that it names
};

// Which checkpoint beside it a tracker file of that name means by its text: Megatron writes the number alone.
[[nodiscard]] std::string checkpoint_named(std::string_view file, std::string_view text);

// The tracker file that the library of a checkpoint of that name keeps in `directory`; nothing: there is none.
[[nodiscard]] runtime::Result<std::optional<Tracker>> read_tracker(const VolumeFiles& files,
                                                                   const std::filesystem::path& directory,
                                                                   std::string_view checkpoint);
// Whether that file can name such a checkpoint at all.
[[nodiscard]] bool can_name(const Tracker& tracker, std::string_view checkpoint);
// An empty checkpoint removes the file: the library then starts anew.
[[nodiscard]] runtime::Result<void> write_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                                  const Tracker& tracker);

}  // namespace reprise::agent
