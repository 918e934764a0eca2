// A trainer that an incomplete checkpoint of its own stops: it refuses to write into a directory that an earlier
// attempt left. Pure.
#pragma once

#include <cstddef>

#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal {

// The incomplete checkpoint of an attempt before that one which the last lines of the rank name; nullptr where they
// name none, or the rank has not ended by itself with an error.
[[nodiscard]] const CheckpointFacts* left_in_the_way(const JobFacts& job, std::size_t attempt, const RankFacts& rank);

}  // namespace reprise::rehearsal
