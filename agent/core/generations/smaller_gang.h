// How many parts a save has by the ranks of the gang that made it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/core/run/identity.h"

namespace reprise::agent {

// Two names of one save that differ by the number of a rank.
struct PartsBefore {
  std::string one{}, other{};
  std::int64_t count = 0;  // number of all that differ so
  GangSize gang{};         // gang that made them
};

// The number of parts that the gang makes; empty where it cannot be told: each rank, or each of its GPUs, had made as
// many of them, and is of the same kind now. Where nobody knows who made those before, each GPU makes one now. Not of
// shards and of ranks of a model ("shard-1", "tp0", "mp_rank_01"), of which there may be as many as before whoever
// makes them.
[[nodiscard]] std::optional<std::int64_t> parts_of_smaller_gang(const PartsBefore& before, GangSize now);

// True if that gang may have fewer of these parts for good: it is smaller, or its size, or that of the one before, is
// not known. Counts for shards and for ranks of a model too: there may be as many as somebody likes.
[[nodiscard]] bool may_have_fewer_parts(const PartsBefore& before, GangSize now);

// The number that a larger gang has, where each rank or each of its GPUs had one; empty: its size tells nothing. `one`
// alone is read.
[[nodiscard]] std::optional<std::int64_t> parts_of_larger_gang(const PartsBefore& before, GangSize now);

// The number of the process or machine that wrote what bears this name: 1 of "rank1/step-60". Nothing where no word
// says so.
struct NumberedBy {
  std::int64_t number = 0;
  bool is_process = false;  // else a machine
};
[[nodiscard]] std::optional<NumberedBy> numbered_by(std::string_view name);

// Parts of one save that bear numbers of ranks.
struct NumberedParts {
  std::set<std::int64_t> numbers{};  // numbers of parts that differ by it alone
  std::int64_t count = 0;            // number of all parts
  bool are_processes = false;        // else machines
};
// True if they can be the whole first save of that gang: one of each pod at least, and of processes none missing
// between those that are there. True where the size of the gang is not known.
[[nodiscard]] bool may_be_all_ranks(const NumberedParts& parts, GangSize gang);

}  // namespace reprise::agent
