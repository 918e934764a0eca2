// Ranks of one pod whose first parts came after an agent had looked: what it took for a neighbour's may be theirs.
// Pure.
#pragma once

#include <set>
#include <string>

#include "agent/core/watch/made_checkpoints.h"

namespace reprise::agent {

// The doubtful shares (own_places.h) that came with the first save of an attempt of one process: with its step and
// its family, before a second save began. Trainings beside each other that begin at the same moment may look so, too: a
// save that lacks such a part is not resumed from, and nothing is moved or deleted for it.
[[nodiscard]] std::set<std::string> late_shares(const MadeCheckpoints& made);

}  // namespace reprise::agent
