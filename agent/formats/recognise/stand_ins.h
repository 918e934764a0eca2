// Checkpoints that stand in for another one beside them: Lightning's `last.ckpt`, fairseq's `checkpoint_last.pt`,
// timm's `last.pth.tar`. Each is a copy of the newest numbered one, or newer than all of them where a metric chooses
// which ones stay. It is written anew in place again and again, so that nothing may rest on it while there is another.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/search/look_at_checkpoint.h"

namespace reprise::agent {

// True if a file that no layout takes is cut off, emptied, or zeros, whatever its name: a save that did not end leaves
// such a file. A file whose first bytes do not tell where it ends is none (structure/state_file.h).
[[nodiscard]] runtime::Result<bool> is_cut_off(const VolumeFiles& files, const std::filesystem::path& file,
                                               const FileInfo& info);

// True for the name of a stand-in, the last part of a path.
[[nodiscard]] bool is_named_as_stand_in(std::string_view name);
[[nodiscard]] bool is_stand_in(const FoundCheckpoint& found);
// Takes those out of `found` beside which a complete one of the same layout with a step in its name lies, and gives
// them back.
[[nodiscard]] std::vector<FoundCheckpoint> take_stand_ins(std::vector<FoundCheckpoint>& found);

}  // namespace reprise::agent
