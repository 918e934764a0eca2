// Files that come and go from save to save, or of which there are more at one and fewer at the next: what saves show of
// them after which their trainer went on. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise::agent {

// How many files of a kind one save has.
struct CountAtSave {
  std::int64_t count = 0;
  std::int64_t attempt = 0;  // the attempt that made it; 0: nobody saw it
  bool is_over = false;  // its attempt has saved again since: no end of a trainer has kept a file from being written
};
using CountsAtSaves = std::vector<CountAtSave>;  // the lowest step first

// Said by a word ("optimizer"), or by none.
enum class SaidToBe { OfTheState, Anything };

// How many saves in a row may be whole with fewer than `needed`; 0: none. One that was over had fewer, and a later one
// as many again: any. Of
// what is said to be of the state once is no habit: two such saves had fewer, and a third of all since the first one
// with as many, counted where the attempt that left them out has brought them later (one that was ended while a rank
// was ahead has not). Where it comes at each second save from the second on, one of those and the first save tell it.
// Then as many as were in a row before: the next one is due.
[[nodiscard]] std::size_t most_in_a_row(const CountsAtSaves& saves, std::int64_t needed, SaidToBe said);

// True if a save may be whole with fewer than any other one, as long as it has some: from one save to the next the
// number fell, and the same attempt went on to one that has some. Kinds that a word says to be of the state need this
// twice.
[[nodiscard]] bool vary_in_number(const CountsAtSaves& saves, SaidToBe said);

}  // namespace reprise::agent
