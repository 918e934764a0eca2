// Checkpoints that stand in for another one beside them: Lightning's `last.ckpt`, which is a copy of the newest
// numbered one, or newer than all of them where a metric chooses which ones stay. It is written anew in place again and
// again, so that nothing may rest on it while there is another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/formats/look_at_checkpoint.h"

namespace reprise::agent {

// Whether a file that no layout takes is cut off, emptied, or zeros, whatever it is called: what a save leaves that did
// not end. One of which no first bytes tell where it ends is none (structure/state_file.h).
[[nodiscard]] runtime::Result<bool> is_cut_off(const VolumeFiles& files, const std::filesystem::path& file,
                                               const FileInfo& info);

[[nodiscard]] bool is_stand_in(const FoundCheckpoint& found);
// Whether a complete checkpoint of Lightning's with a step in its name lies directly in that directory.
[[nodiscard]] bool has_numbered(const std::vector<FoundCheckpoint>& found, const std::string& directory);
// Without those that stand beside such a one.
[[nodiscard]] std::vector<FoundCheckpoint> without_stand_ins(std::vector<FoundCheckpoint> found);

}  // namespace reprise::agent
