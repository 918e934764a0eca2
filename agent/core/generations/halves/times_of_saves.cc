#include "agent/core/generations/halves/times_of_saves.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "agent/core/generations/halves/places_of_saves.h"

namespace reprise::agent {
namespace {

using runtime::WallTime;

struct FirstAndLast {
  WallTime first = WallTime::max(), last = WallTime::min();
};

// The times of the whole shares; empty: none of the two is.
std::optional<FirstAndLast> times_of(const Save& save, const TwoShares& shares) {
  std::optional<FirstAndLast> times;
  for (const std::string* each : {&shares.key, &shares.other}) {
    const Share* share = save.whole(*each);
    if (share == nullptr) continue;
    if (!times) times = FirstAndLast();
    times->first = std::min(times->first, share->time);
    times->last = std::max(times->last, share->time);
  }
  return times;
}

}  // namespace

// One walk back over all saves: there are thousands perhaps.
bool were_over(const TwoShares& shares, const std::deque<std::size_t>& before) {
  WallTime next = WallTime::max(), last_of_next = WallTime::max();
  std::size_t looked_at = shares.at + 1;
  for (const std::size_t save : before) {
    while (looked_at > save) {
      --looked_at;
      const auto times = times_of(shares.saves[looked_at], shares);
      if (!times) continue;
      if (last_of_next < times->first) next = WallTime::max();
      if (looked_at == save && next < times->last) return false;
      next = std::min(next, times->first);
      last_of_next = times->last;
    }
  }
  return true;
}

bool came_with(const TwoShares& shares, const std::deque<std::size_t>& before) {
  const Share* following = shares.saves[shares.at].whole(shares.key);
  for (const std::size_t save : before) {
    const Share *own = shares.saves[save].whole(shares.key), *part = shares.saves[save].whole(shares.other);
    if (part == nullptr) break;
    if (following == nullptr || may_be_copied_with_times(*part, *own)) return false;
    const auto apart = std::chrono::abs(part->time - own->time);
    if (apart.count() > 0 && apart >= std::chrono::abs(following->time - part->time)) return false;
    following = own;
  }
  return true;
}

}  // namespace reprise::agent
