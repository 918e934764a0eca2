// The file in which a library writes down which of its checkpoints beside it is the newest: DeepSpeed's `latest`,
// Megatron's and verl's `latest_checkpointed_iteration.txt`. The library resumes from what it names, torn or not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/volume/volume_files.h"
#include "runtime/base/error.h"

namespace reprise::agent {

struct Tracker {
  std::string_view file;
  std::string checkpoint;  // the checkpoint that it names
};

inline constexpr std::string_view kMegatronTracker = "latest_checkpointed_iteration.txt";

// The text without what may stand around it: a power loss may leave zeros in place of what was written.
[[nodiscard]] std::string_view text_of_tracker(std::string_view text);
// The checkpoints beside it that a tracker file of that name may mean by its text: with the number alone in it,
// Megatron means `iter_0000020`, verl `global_step_20`, Megatron-DeepSpeed `global_step20`.
[[nodiscard]] std::vector<std::string> checkpoints_named(std::string_view file, std::string_view text);
// True if its library could make sense of that text at all: Megatron ends with 0, untrained, where it cannot.
[[nodiscard]] bool can_be_meant(std::string_view file, std::string_view text);

// The tracker file in `directory` that names a checkpoint of that name; empty: none does.
[[nodiscard]] runtime::Result<std::optional<Tracker>> read_tracker(const VolumeFiles& files,
                                                                   const std::filesystem::path& directory,
                                                                   std::string_view checkpoint);
// True if that file can name such a checkpoint at all.
[[nodiscard]] bool can_name(const Tracker& tracker, std::string_view checkpoint);
// An empty checkpoint removes the file: the library then starts anew.
[[nodiscard]] runtime::Result<void> write_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                                  const Tracker& tracker);

}  // namespace reprise::agent
