#include "agent/formats/pieces/kinds_in_time.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {

using runtime::WallTime;

std::vector<std::int64_t> LooseKind::as_many_as(std::int64_t step) const {
  std::vector<std::int64_t> others;
  for (const auto& [other, files] : members_)
    if (other < step && files.size() == members_.at(step).size()) others.push_back(other);
  return others;
}

bool LooseKind::may_get_more(std::int64_t step) const {
  return members_.begin()->first < step && as_many_as(step).empty();
}

TimesOfSaves::TimesOfSaves(const std::vector<SavedAt>& saves) {
  const auto note = [](ByStep& times, const SavedAt& save) {
    const auto [known, is_new] = times.try_emplace(save.step, save.completed);
    if (!is_new) known->second = std::min(known->second, save.completed);
  };
  std::int64_t last = 0;
  for (const SavedAt& each : saves) last = std::max(last, each.step);
  std::set<std::string> newest;
  for (const SavedAt& each : saves)
    if (each.step == last) newest.insert(naming_of(each.path));
  for (const SavedAt& each : saves) {
    note(first_, each);
    if (newest.contains(naming_of(each.path))) note(at_place_, each);
  }
}

std::optional<WallTime> TimesOfSaves::before(const ByStep& times, std::int64_t step) const {
  const auto at = times.lower_bound(step);
  if (at == times.begin() || std::prev(at)->second > of(step)) return std::nullopt;
  return std::prev(at)->second;
}

std::optional<WallTime> TimesOfSaves::behind(std::int64_t step) const {
  const auto at = first_.upper_bound(step);
  return at == first_.end() || at->second < of(step) ? std::nullopt : std::optional(at->second);
}

bool TimesOfSaves::went_on(std::int64_t step, WallTime since, const BegunAttempts& attempts) const {
  return std::any_of(first_.upper_bound(step), first_.end(), [&](const auto& later) {
    return later.second > since && std::ranges::none_of(attempts, [&](const BegunAttempt& each) {
             return each.began > since && each.began <= later.second;
           });
  });
}

namespace {

using Files = std::vector<const LooseFile*>;

WallTime first_of(const Files& files) {
  return (*std::ranges::min_element(files, {}, [](const LooseFile* each) { return each->info.modified; }))
      ->info.modified;
}

WallTime last_of(const Files& files) {
  return (*std::ranges::max_element(files, {}, [](const LooseFile* each) { return each->info.modified; }))
      ->info.modified;
}

std::vector<std::uint64_t> sizes_of(const Files& files) {
  std::vector<std::uint64_t> sizes;
  for (const LooseFile* each : files) sizes.push_back(each->info.size);
  std::ranges::sort(sizes);
  return sizes;
}

std::uint64_t sum_of(const Files& files) {
  std::uint64_t sum = 0;
  for (const LooseFile* each : files) sum += each->info.size;
  return sum;
}

// Of as many files.
bool is_shorter(const Files& files, const Files& whole, Shorter shorter) {
  constexpr std::uint64_t kMuch = 16, kPage = 4'096;
  if (sum_of(files) >= sum_of(whole)) return false;
  const auto sizes = sizes_of(files), whole_sizes = sizes_of(whole);
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    if (sizes[at] >= whole_sizes[at]) continue;
    const bool is_much = (whole_sizes[at] - sizes[at]) * kMuch >= whole_sizes[at] || sizes[at] % kPage == 0;
    if (shorter == Shorter::AtAll || is_much) return true;
  }
  return false;
}

// True for pieces of this step that were written before the save in front of its own, where there was one.
bool came_before_former(const LooseKind& kind, std::int64_t step, const TimesOfSaves& times) {
  const auto former = times.before_at_place(step);
  return former && first_of(kind.members().at(step)) < *former;
}

}  // namespace

CameInTime when_they_came(const LooseKind& kind, const TimesOfSaves& times) {
  constexpr std::chrono::seconds kRightBehind{60};
  CameInTime came;
  for (const auto& [step, files] : kind.members()) {
    if (!times.has(step)) continue;
    const auto behind = times.behind(step);
    const WallTime came_with = std::min(times.of(step), times.before(step).value_or(WallTime::max()));
    const bool is_early = came_before_former(kind, step, times);
    came.before_its_save = came.before_its_save || is_early;
    if (!times.is_newest(step)) {
      came.early += is_early ? 1 : 0;
      came.behind_former += times.before_at_place(step) && !is_early ? 1 : 0;
    }
    for (const LooseFile* each : files) {
      const WallTime at = each->info.modified;
      came.with_its_save = came.with_its_save || at >= came_with;
      came.after_the_next = came.after_the_next || (behind && at > *behind);
      came.long_after_it = came.long_after_it || at > times.of(step) + kRightBehind;
    }
  }
  return came;
}

bool runs_ahead(const LooseKind& kind, const TimesOfSaves& times, std::int64_t newest_step) {
  const auto& members = kind.members();
  const auto newest =
      std::ranges::find_if(members.rbegin(), members.rend(), [&](const auto& each) { return times.has(each.first); });
  const bool is_behind_former = newest != members.rend() && !came_before_former(kind, newest->first, times);
  const bool is_behind_two = is_behind_former && times.before_at_place(newest->first);
  const bool is_behind_its_save = is_behind_former && first_of(newest->second) >= times.of(newest->first);
  const auto is_left_over = [&](const auto& beyond) {
    if (!is_behind_two && !is_behind_its_save) return false;
    const bool came_since = first_of(beyond.second) >= times.of(newest->first);
    return came_since || (is_behind_two && last_of(beyond.second) < first_of(newest->second));
  };
  return std::count_if(members.upper_bound(newest_step), members.end(), std::not_fn(is_left_over)) > 1;
}

bool is_of_another_life(const LooseFile& file, std::int64_t step, const TimesOfSaves& times,
                        const BegunAttempts& attempts) {
  return std::ranges::any_of(attempts, [&](const BegunAttempt& each) {
    return each.resumed_from && step > *each.resumed_from && file.info.modified < each.began &&
           each.began <= times.of(step);
  });
}

std::set<std::int64_t> cut_off(const LooseKind& kind, const TimesOfSaves& times, const BegunAttempts& attempts,
                               std::size_t fewest, Shorter shorter) {
  const auto& members = kind.members();
  std::set<std::int64_t> cut;
  for (const auto& [step, files] : members) {
    if (std::ranges::all_of(files, &LooseFile::tells_its_end)) continue;
    auto others = kind.as_many_as(step);
    std::erase_if(others, [&](std::int64_t other) { return cut.contains(other); });
    const auto length = [&](std::int64_t other) { return sum_of(members.at(other)); };
    if (others.size() < fewest ||
        !std::ranges::all_of(others, [&](std::int64_t other) { return length(other) == length(others.front()); }))
      continue;
    const WallTime last = last_of(files);
    const bool may_be_written = times.is_newest(step) || kind.is_newest(step);
    const bool has_ended = std::ranges::any_of(attempts, [&](const BegunAttempt& each) { return each.began > last; });
    if ((may_be_written || has_ended) && !times.went_on(step, last, attempts) &&
        is_shorter(files, members.at(others.back()), shorter))
      cut.insert(step);
  }
  return cut;
}

bool may_be_written_anew(const LooseKind& kind, std::int64_t step, const TimesOfSaves& times) {
  return times.is_newest(step) && came_before_former(kind, step, times);
}

}  // namespace reprise::agent
