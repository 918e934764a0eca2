// Finds a trainer that its own incomplete checkpoint stops: it refuses to write into a directory that an earlier
// attempt left. Pure.
#pragma once

#include <cstddef>

#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal {

// The incomplete checkpoint of an earlier attempt that the last lines of the rank name; nullptr when they name none, or
// when the rank has not ended by itself with an error.
[[nodiscard]] const CheckpointFacts* left_in_the_way(const JobFacts& job, std::size_t attempt, const RankFacts& rank);

}  // namespace reprise::rehearsal
