#include "agent/core/generations/halves/changing_files.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

namespace reprise::agent {
namespace {

// Counts that show which saves with fewer are a habit.
struct Gaps {
  std::size_t had = 0;              // as many
  std::size_t lacked = 0;           // between two of those
  std::size_t lacked_by_habit = 0;  // and the attempt that made them has made the second one
  std::size_t lacked_first = 0;     // in front of the first one, of the same attempt
  std::size_t longest = 0;          // in a row, of those by habit
  bool any_two_in_a_row = false;
};

Gaps gaps_in(const CountsAtSaves& saves, std::int64_t needed) {
  Gaps gaps;
  std::vector<std::int64_t> since;  // the attempts of those that lacked some
  bool is_right_behind = false;
  for (const CountAtSave& each : saves) {
    if (each.count < needed) {
      if (each.is_over) since.push_back(each.attempt);
      is_right_behind = is_right_behind && !each.is_over;
      continue;
    }
    const auto by_habit = static_cast<std::size_t>(std::ranges::count(since, each.attempt));
    if (gaps.had++ == 0) {
      gaps.lacked_first = by_habit;
    } else {
      gaps.lacked += since.size();
      gaps.lacked_by_habit += by_habit;
      gaps.longest = std::max(gaps.longest, by_habit);
      gaps.any_two_in_a_row = gaps.any_two_in_a_row || is_right_behind;
    }
    since.clear();
    is_right_behind = true;
  }
  return gaps;
}

}  // namespace

std::size_t most_in_a_row(const CountsAtSaves& saves, std::int64_t needed, SaidToBe said) {
  constexpr std::size_t kNoAccident = 2, kOneOf = 3, kAny = std::numeric_limits<std::size_t>::max();
  const Gaps gaps = gaps_in(saves, needed);
  if (said == SaidToBe::Anything) return gaps.lacked > 0 ? kAny : 0;
  const std::size_t all = gaps.had + gaps.lacked_by_habit;
  const bool is_often = gaps.lacked_by_habit >= kNoAccident && gaps.lacked_by_habit * kOneOf >= all;
  const bool is_each_second = gaps.lacked_by_habit > 0 && gaps.lacked_first > 0 && !gaps.any_two_in_a_row;
  return is_often || is_each_second ? gaps.longest : 0;
}

bool vary_in_number(const CountsAtSaves& saves, SaidToBe said) {
  std::size_t falls = 0;
  const CountAtSave* before = nullptr;  // with some
  for (auto each = saves.begin(); each != saves.end(); ++each) {
    if (each->count == 0) continue;
    const bool falls_here =
        before != nullptr && each->is_over && each->count < before->count && before->attempt == each->attempt;
    const bool went_on = falls_here && std::any_of(std::next(each), saves.end(), [&](const CountAtSave& later) {
                           return later.count > 0 && later.attempt == each->attempt;
                         });
    if (went_on) ++falls;
    before = &*each;
  }
  return falls > (said == SaidToBe::OfTheState ? 1U : 0U);
}

}  // namespace reprise::agent
