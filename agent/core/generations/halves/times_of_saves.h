// When the parts of saves came, by the times that they bear. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "agent/core/generations/halves/gangs/saves_by_share.h"

namespace reprise::agent {

// Two shares of saves in front of the one `at`.
struct TwoShares {
  const Saves& saves;
  const std::string &key, &other;
  std::size_t at = 0;
};

// `before`: saves with both, the newest first. Each of them was over before the next save of either began. Where all
// of a save bears times before all of the one in front of it a clock was set back: steps count before times.
[[nodiscard]] bool were_over(const TwoShares& shares, const std::deque<std::size_t>& before);

// Each time `other` came nearer to its own save than to the next, and is not by its name a copy with the times of it: a
// part that lies in a directory below. Where one is copied when the next one begins it came with that.
[[nodiscard]] bool came_with(const TwoShares& shares, const std::deque<std::size_t>& before);

}  // namespace reprise::agent
