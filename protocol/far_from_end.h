// Tells whether a trainer that has ended was far from its last step, by what it printed itself.
#pragma once

#include <algorithm>
#include <cstdint>

namespace reprise::protocol {

// A trainer that prints every so many steps may be further along than it last printed: a rest of two of its prints, or
// of a twentieth of the training, is not far. `prints_every`: how many steps lie between two prints, where that is
// known.
[[nodiscard]] constexpr bool is_far_from_end(std::int64_t step, std::int64_t total_steps,
                                             std::int64_t prints_every = 1) {
  return total_steps - step > std::max(2 * prints_every, total_steps / 20);
}

}  // namespace reprise::protocol
