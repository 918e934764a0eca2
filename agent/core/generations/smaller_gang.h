// How many parts a save has of a gang that is smaller than the one before it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/core/identity.h"

namespace reprise::agent {

// Two names of one save that differ by the number of a rank.
struct PartsBefore {
  std::string one{}, other{};
  std::int64_t count = 0;  // of all that differ so
  GangSize gang{};         // that made them
};

// Nothing where it cannot be told: each rank, or each of its GPUs, had made as many of them, and is of the same kind
// now. Not of shards and of ranks of a model ("shard-1", "tp0", "mp_rank_01"), of which there may be as many as before
// whoever makes them.
[[nodiscard]] std::optional<std::int64_t> parts_of_smaller_gang(const PartsBefore& before, GangSize now);

}  // namespace reprise::agent
