#include "agent/core/generations/halves/shown_by_saves.h"

#include <algorithm>
#include <set>

#include "agent/core/generations/halves/changing_files.h"
#include "agent/core/generations/halves/lacking_state.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kMostBetween = 8;  // saves without what comes now and then

// A trainer that leaves it out at three saves more than ever before writes it no more.
bool is_overdue(const InARow& lacking, std::size_t most) {
  constexpr std::size_t kGivenUp = 3;
  return most > 0 && lacking.up_to_it > most && lacking.all - most < kGivenUp;
}

}  // namespace

ShownBySaves::ShownBySaves(const Saves& saves) : saves_(saves) {
  for (std::size_t at = 0; at < saves_.size(); ++at)
    for (const auto& [key, share] : saves_[at].shares)
      if (share.complete && share.attempt > 0) last_of_attempt_[{key, share.attempt}] = at;
}

bool ShownBySaves::is_over(std::size_t at, const std::string& share) const {
  const Share* there = saves_[at].whole(share);
  const auto last = there == nullptr ? last_of_attempt_.end() : last_of_attempt_.find({share, there->attempt});
  return last != last_of_attempt_.end() && last->second > at;
}

InARow ShownBySaves::in_a_row(std::size_t at, const std::string& share, const HasAll& has_all) const {
  InARow lacking;
  for (std::size_t each = at + 1; each-- > 0;) {
    const Share* there = saves_[each].whole(share);
    if (there == nullptr) continue;
    if (has_all(saves_[each], *there)) break;
    ++lacking.up_to_it;
  }
  lacking.all = lacking.up_to_it;
  for (std::size_t each = at + 1; each < saves_.size(); ++each) {
    const Share* there = saves_[each].whole(share);
    if (there == nullptr) continue;
    if (has_all(saves_[each], *there)) break;
    ++lacking.all;
  }
  return lacking;
}

const ShownBySaves::OfFiles& ShownBySaves::habit_of(std::size_t at, const std::string& share, const StateFiles& files) {
  const std::int32_t ranks = saves_[at].gang.ranks;
  const auto [known, is_new] = files_.try_emplace({share, files.kind, files.count, ranks}, OfFiles());
  if (!is_new) return known->second;
  CountsAtSaves counts;
  for (std::size_t each = 0; each < saves_.size(); ++each) {
    const Share* there = saves_[each].whole(share);
    if (there == nullptr || saves_[each].gang.ranks < ranks) continue;
    counts.push_back(
        {.count = count_of(there->state, files.kind), .attempt = there->attempt, .is_over = is_over(each, share)});
  }
  const SaidToBe said = is_of_state(files) ? SaidToBe::OfTheState : SaidToBe::Anything;
  known->second = {.in_a_row = most_in_a_row(counts, files.count, said), .vary = vary_in_number(counts, said)};
  return known->second;
}

InARow ShownBySaves::files_in_a_row(std::size_t at, const std::string& share, const StateFiles& files) const {
  return in_a_row(at, share,
                  [&](const Save&, const Share& there) { return count_of(there.state, files.kind) >= files.count; });
}

bool ShownBySaves::may_lack_files(std::size_t at, const std::string& share, const StateFiles& files) {
  if (are_of_ranks(files)) return false;
  const OfFiles& habit = habit_of(at, share, files);
  const bool any_there = count_of(saves_[at].whole(share)->state, files.kind) > 0;
  if (any_there && habit.vary) return true;
  return files_in_a_row(at, share, files).up_to_it <= habit.in_a_row;
}

StateKinds ShownBySaves::overdue_files(std::size_t at, const std::string& share,
                                       const std::deque<std::size_t>& before) {
  StateKinds overdue;
  std::set<std::string> looked_at;
  for (const std::size_t save : {at, before.front()})
    for (const StateFiles& each : saves_[save].whole(share)->state) looked_at.insert(each.kind);
  for (std::size_t one = 1; one < std::min(before.size(), kMostBetween); ++one)
    for (const StateFiles& each : saves_[before[one]].whole(share)->state) {
      if (!looked_at.insert(each.kind).second || !is_of_state(each) || are_of_ranks(each)) continue;
      if (never_has_to_be(each)) continue;
      if (is_overdue(files_in_a_row(at, share, each), habit_of(at, share, each).in_a_row)) overdue.push_back(each);
    }
  return overdue;
}

std::size_t ShownBySaves::habit_of_part(const std::string& share, const std::string& other, SaidToBe said) {
  const auto [known, is_new] = parts_.try_emplace({share, other, said}, 0);
  if (!is_new) return known->second;
  CountsAtSaves counts;
  for (std::size_t each = 0; each < saves_.size(); ++each) {
    const Share* there = saves_[each].whole(share);
    if (there == nullptr) continue;
    counts.push_back({.count = saves_[each].whole(other) == nullptr ? 0 : 1,
                      .attempt = there->attempt,
                      .is_over = is_over(each, share)});
  }
  return known->second = most_in_a_row(counts, 1, said);
}

InARow ShownBySaves::parts_in_a_row(std::size_t at, const std::string& share, const std::string& other) const {
  return in_a_row(at, share, [&](const Save& save, const Share&) { return save.whole(other) != nullptr; });
}

bool ShownBySaves::may_lack_part(std::size_t at, const std::string& share, const std::string& other, SaidToBe said) {
  return parts_in_a_row(at, share, other).up_to_it <= habit_of_part(share, other, said);
}

std::vector<ShownBySaves::OverduePart> ShownBySaves::overdue_parts(std::size_t at, const std::string& share,
                                                                   const std::deque<std::size_t>& before) {
  std::vector<OverduePart> overdue;
  std::set<std::string> looked_at;
  for (std::size_t one = 1; one < std::min(before.size(), kMostBetween); ++one) {
    const Share& there = *saves_[before[one]].whole(share);
    for (const auto& [other, part] : saves_[before[one]].shares) {
      if (!part.complete || saves_[at].whole(other) != nullptr || !looked_at.insert(other).second) continue;
      if (part.family == there.family || is_copy(part, there) || !differ_by_state(part, there)) continue;
      if (say_ranks(part.names.front())) continue;
      if (is_overdue(parts_in_a_row(at, share, other), habit_of_part(share, other, SaidToBe::OfTheState)))
        overdue.push_back({.save = before[one], .part = other});
    }
  }
  return overdue;
}

}  // namespace reprise::agent
