#include "agent/core/generations/halves/shown_by_saves.h"

#include "agent/core/generations/halves/lacking_state.h"

namespace reprise::agent {

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

bool ShownBySaves::may_lack_files(std::size_t at, const std::string& share, const StateFiles& files) {
  if (are_of_ranks(files)) return false;
  const std::int32_t ranks = saves_[at].gang.ranks;
  const bool any_there = count_of(saves_[at].whole(share)->state, files.kind) > 0;
  const auto [known, is_new] = files_.try_emplace({share, files.kind, files.count, ranks, any_there}, false);
  if (!is_new) return known->second;
  CountsAtSaves counts;
  for (std::size_t each = 0; each < saves_.size(); ++each) {
    const Share* there = saves_[each].whole(share);
    if (there == nullptr || saves_[each].gang.ranks < ranks) continue;
    counts.push_back(
        {.count = count_of(there->state, files.kind), .attempt = there->attempt, .is_over = is_over(each, share)});
  }
  const SaidToBe said = is_of_state(files) ? SaidToBe::OfTheState : SaidToBe::Anything;
  known->second = come_and_go(counts, files.count, said) || (any_there && vary_in_number(counts, said));
  return known->second;
}

bool ShownBySaves::may_lack_part(const std::string& share, const std::string& other, SaidToBe said) {
  const auto [known, is_new] = parts_.try_emplace({share, other, said}, false);
  if (!is_new) return known->second;
  CountsAtSaves counts;
  for (std::size_t each = 0; each < saves_.size(); ++each) {
    const Share* there = saves_[each].whole(share);
    if (there == nullptr) continue;
    counts.push_back({.count = saves_[each].whole(other) == nullptr ? 0 : 1,
                      .attempt = there->attempt,
                      .is_over = is_over(each, share)});
  }
  known->second = come_and_go(counts, 1, said);
  return known->second;
}

}  // namespace reprise::agent
