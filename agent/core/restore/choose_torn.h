// Chooses which torn checkpoints that earlier attempts have left where they lie may go: a pure decision.
#pragma once

#include <string>
#include <vector>

#include "agent/core/generations/plan_pruning.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// Torn checkpoints of this job that could not be moved away, were there `before` the trainer ran, are older than what
// is durable, and for which a newer generation stands (generations/outlived.h).
[[nodiscard]] std::vector<std::string> choose_torn(const PruneQuestion& question, const Checkpoints& before);

}  // namespace reprise::agent
