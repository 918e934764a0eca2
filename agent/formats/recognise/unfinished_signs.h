// Files beside a checkpoint that say that its save has not ended (names/unfinished_name.h).
#pragma once

#include <filesystem>
#include <vector>

#include "agent/formats/search/checkpoint_search.h"

namespace reprise::agent {

// Looks for a sign beside a checkpoint, and beside the directory that it lies in: NeMo's weights lie in one of the
// save's name.
[[nodiscard]] Flawed flaw_of_sign(const VolumeFiles& files, const std::filesystem::path& checkpoint);

// The same of what a search has found below `root` without a flaw; what it remembers as complete is that no more.
[[nodiscard]] runtime::Result<void> mark_unfinished(const VolumeFiles& files, const std::filesystem::path& root,
                                                    SearchMemory& memory, std::vector<FoundCheckpoint>& found);

}  // namespace reprise::agent
