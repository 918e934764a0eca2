// Files with a training's state beside a checkpoint that is a single file: "step_10_ema.pt" beside "step_10.pt".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "agent/formats/search/look_at_checkpoint.h"

namespace reprise::agent {

// Tells whether the file at a path is not cut off; `is_recent`: it may have changed since the look before.
using IsWhole = std::function<runtime::Result<bool>(const std::string& path, bool is_recent)>;

// `files`: of that directory, by their names, what is none itself. `found`: what lies directly in it. Those of its step
// that are whole become the state of a checkpoint (Judgement::state); where several are of one step, of the one with
// the shortest name.
[[nodiscard]] runtime::Result<void> note_files_beside(const std::string& directory,
                                                      const std::vector<std::string>& files,
                                                      std::span<FoundCheckpoint> found, const IsWhole& is_whole);

}  // namespace reprise::agent
