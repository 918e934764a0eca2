// Files with a training's state beside a checkpoint that is a single file: "step_10_ema.pt" beside "step_10.pt". Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/formats/look_at_checkpoint.h"

namespace reprise::agent {

// `files`: of that directory, by their names, what is none itself. `found`: what lies directly in it. Those of its step
// become the state of a checkpoint (Judgement::state); where several are of one step, of the one with the shortest
// name.
void note_files_beside(const std::string& directory, const std::vector<std::string>& files,
                       std::span<FoundCheckpoint> found);

}  // namespace reprise::agent
