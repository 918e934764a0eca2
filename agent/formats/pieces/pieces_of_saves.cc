#include "agent/formats/pieces/pieces_of_saves.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/parts_by_name.h"

namespace reprise::agent {
namespace {

using runtime::WallTime;

struct LooseMember {
  const LooseFile* file;
  std::vector<NumberInPath> numbers;
};

// Files whose names differ in numbers alone.
class LooseKind {
 public:
  explicit LooseKind(std::size_t place) : place_(place) {}
  void add(LooseMember member) { members_[member.numbers[place_].value].push_back(member.file); }
  [[nodiscard]] bool has(std::size_t place) const { return place == place_; }
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] const std::map<std::int64_t, std::vector<const LooseFile*>>& members() const { return members_; }

  [[nodiscard]] std::uint64_t size_at(std::int64_t step) const {
    std::uint64_t sum = 0;
    for (const LooseFile* each : members_.at(step)) sum += each->info.size;
    return sum;
  }

  // The newest one, that may still be written: shorter than `fewest` or more others with as many files, all as long.
  [[nodiscard]] bool may_be_cut_off(std::int64_t step, std::size_t fewest) const {
    if (step != members_.rbegin()->first) return false;
    if (std::ranges::all_of(members_.at(step), &LooseFile::tells_its_end)) return false;
    const auto others = as_many_as(step);
    const bool are_as_long =
        std::ranges::all_of(others, [&](std::int64_t other) { return size_at(other) == size_at(others.front()); });
    return others.size() >= fewest && are_as_long && size_at(step) < size_at(others.front());
  }

  // The newest one, of which no other has as many files: there may be more to come.
  [[nodiscard]] bool may_get_more(std::int64_t step) const {
    return step == members_.rbegin()->first && members_.size() > 1 && as_many_as(step).empty();
  }

 private:
  // A gang that has shrunk or grown writes fewer or more files.
  [[nodiscard]] std::vector<std::int64_t> as_many_as(std::int64_t step) const {
    std::vector<std::int64_t> others;
    for (const auto& [other, files] : members_)
      if (other != step && files.size() == members_.at(step).size()) others.push_back(other);
    return others;
  }

  std::size_t place_;  // of the number that is the step
  std::map<std::int64_t, std::vector<const LooseFile*>> members_;
};

// When saves came.
class Times {
 public:
  explicit Times(const std::vector<SavedAt>& saves) {
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
  [[nodiscard]] bool has(std::int64_t step) const { return first_.contains(step); }
  [[nodiscard]] WallTime of(std::int64_t step) const { return first_.at(step); }
  [[nodiscard]] std::optional<WallTime> before(std::int64_t step) const { return before(first_, step); }
  // Of those that lie where the newest one does: a copy elsewhere may be younger than the save, which may be gone.
  [[nodiscard]] std::optional<WallTime> before_at_place(std::int64_t step) const { return before(at_place_, step); }
  [[nodiscard]] std::optional<WallTime> behind(std::int64_t step) const {
    const auto at = first_.upper_bound(step);
    return at == first_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  using ByStep = std::map<std::int64_t, WallTime>;
  static void note(ByStep& times, const SavedAt& save) {
    const auto [known, is_new] = times.try_emplace(save.step, save.completed);
    if (!is_new) known->second = std::min(known->second, save.completed);
  }
  static std::optional<WallTime> before(const ByStep& times, std::int64_t step) {
    const auto at = times.lower_bound(step);
    return at == times.begin() ? std::nullopt : std::optional(std::prev(at)->second);
  }

  ByStep first_, at_place_;
};

bool runs_ahead(const LooseKind& kind, std::int64_t newest_step) {
  const auto& members = kind.members();
  return std::distance(members.upper_bound(newest_step), members.end()) > 1;
}

// What the files of a kind say of when they came.
struct Came {
  bool before_its_save = false;  // any: before the save in front of its own was over
  bool with_its_save = false;    // any
  bool after_the_next = false;   // any
  bool long_after_it = false;    // any: it may be an evaluation
};

Came when_they_came(const LooseKind& kind, const Times& times) {
  constexpr std::chrono::seconds kRightBehind{60};
  Came came;
  for (const auto& [step, files] : kind.members()) {
    if (!times.has(step)) continue;
    auto before = times.before(step), at_place = times.before_at_place(step), behind = times.behind(step);
    // A clock was set back between two saves: their times tell nothing of each other.
    const auto contradicts = [&](const auto& other, bool is_later) {
      return other && (is_later ? *other < times.of(step) : *other > times.of(step));
    };
    if (contradicts(before, false)) before.reset();
    if (contradicts(at_place, false)) at_place.reset();
    if (contradicts(behind, true)) behind.reset();
    const WallTime came_with = std::min(times.of(step), before.value_or(WallTime::max()));
    for (const LooseFile* each : files) {
      const WallTime at = each->info.modified;
      came.before_its_save = came.before_its_save || (at_place && at < *at_place);
      came.with_its_save = came.with_its_save || at >= came_with;
      came.after_the_next = came.after_the_next || (behind && at > *behind);
      came.long_after_it = came.long_after_it || at > times.of(step) + kRightBehind;
    }
  }
  return came;
}

// How many directories two paths have in common.
std::size_t common_depth(std::string_view one, std::string_view other) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < std::min(one.size(), other.size()) && one[at] == other[at]; ++at)
    if (one[at] == '/') ++depth;
  return depth;
}

std::size_t nearest(const std::vector<SavedAt>& saves, std::int64_t step, std::string_view path) {
  std::optional<std::size_t> best;
  for (std::size_t at = 0; at < saves.size(); ++at) {
    if (saves[at].step != step) continue;
    if (!best) {
      best = at;
      continue;
    }
    const auto here = common_depth(saves[at].path, path), there = common_depth(saves[*best].path, path);
    const bool is_shorter = saves[at].path.size() != saves[*best].path.size()
                                ? saves[at].path.size() < saves[*best].path.size()
                                : saves[at].path < saves[*best].path;
    if (here > there || (here == there && is_shorter)) best = at;
  }
  return best.value_or(0);
}

std::vector<StateFiles> kinds_in(const PartsByName& parts, const std::set<std::string>& shown) {
  auto kinds = parts.kinds();
  for (StateFiles& each : kinds) each.came_with_save = shown.contains(each.kind);
  return kinds;
}

std::map<std::string, LooseKind> kinds_among(const std::vector<LooseFile>& loose, const Times& times,
                                             const std::set<std::int64_t>& steps, const StepsByEpoch& by_epoch) {
  std::map<std::string, LooseKind> kinds;
  std::set<std::string> unclear;
  std::vector<std::pair<std::string, LooseMember>> members;
  for (const LooseFile& each : loose) {
    LooseMember member{.file = &each, .numbers = numbers_of_piece(each.path, steps, by_epoch)};
    std::string kind = naming_of(each.path);
    if (const auto place = place_of_step(member.numbers, steps); place && times.has(member.numbers[*place].value))
      if (!kinds.try_emplace(kind, *place).first->second.has(*place)) unclear.insert(kind);
    members.emplace_back(std::move(kind), std::move(member));
  }
  for (const std::string& each : unclear) kinds.erase(each);
  for (auto& [kind, member] : members)
    if (const auto known = kinds.find(kind); known != kinds.end() && known->second.place() < member.numbers.size())
      known->second.add(std::move(member));
  return kinds;
}

}  // namespace

StepsByEpoch steps_by_epoch(const std::vector<SavedAt>& saves) {
  StepsByEpoch steps;
  std::set<std::int64_t> several;
  for (const SavedAt& each : saves)
    for (const NumberInPath& number : numbers_in_path(last_part(each.path)))
      if (number.is_epoch && number.value != each.step)
        if (const auto [known, is_new] = steps.try_emplace(number.value, each.step);
            !is_new && known->second != each.step)
          several.insert(number.value);
  for (const std::int64_t each : several) steps.erase(each);
  return steps;
}

std::vector<NumberInPath> numbers_of_piece(std::string_view path, const std::set<std::int64_t>& steps,
                                           const StepsByEpoch& by_epoch) {
  auto numbers = numbers_in_path(path);
  for (NumberInPath& each : numbers) {
    if (!each.is_epoch || steps.contains(each.value)) continue;
    if (const auto step = by_epoch.find(each.value); step != by_epoch.end()) each.value = step->second;
  }
  return numbers;
}

std::vector<HeldPieces> pieces_of_saves(const std::vector<SavedAt>& saves, const std::vector<LooseFile>& loose,
                                        std::int64_t newest_step) {
  constexpr std::size_t kForKeep = 1, kToCondemn = 2;
  std::vector<HeldPieces> pieces(saves.size());
  const Times times(saves);
  std::set<std::int64_t> steps;
  for (const SavedAt& each : saves)
    if (each.step > 0) steps.insert(each.step);
  std::vector<PartsByName> for_keep(saves.size()), for_resume(saves.size());
  std::set<std::string> shown;
  for (const auto& [name, kind] : kinds_among(loose, times, steps, steps_by_epoch(saves))) {
    const Came came = when_they_came(kind, times);
    if (came.before_its_save || runs_ahead(kind, newest_step)) continue;
    if (came.long_after_it && !may_hold_training(name)) continue;
    if (came.with_its_save) shown.insert(name);
    for (const auto& [step, files] : kind.members()) {
      if (!times.has(step)) continue;
      const bool is_there = !kind.may_be_cut_off(step, kForKeep) && !kind.may_get_more(step);
      const bool tells = !came.after_the_next && !kind.may_be_cut_off(step, kToCondemn);
      for (const LooseFile* each : files) {
        if (each->is_torn) continue;
        const std::size_t of = nearest(saves, step, each->path);
        if (is_there) for_keep[of].add(each->path);
        if (tells) for_resume[of].add(each->path);
      }
    }
  }
  for (std::size_t at = 0; at < saves.size(); ++at)
    pieces[at] = {.for_keep = kinds_in(for_keep[at], shown), .for_resume = kinds_in(for_resume[at], shown)};
  return pieces;
}

}  // namespace reprise::agent
