#include "agent/formats/pieces/pieces_of_saves.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/pieces/kinds_in_time.h"

namespace reprise::agent {
namespace {

struct LooseMember {
  const LooseFile* file;
  std::vector<NumberInPath> numbers;
};

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

std::map<std::string, LooseKind> kinds_among(const std::vector<LooseFile>& loose, const TimesOfSaves& times,
                                             const std::set<std::int64_t>& steps, const StepsByEpoch& by_epoch,
                                             const BegunAttempts& attempts) {
  std::map<std::string, LooseKind> kinds;
  std::set<std::string> unclear;
  std::vector<std::pair<std::string, LooseMember>> members;
  for (const LooseFile& each : loose) {
    LooseMember member{.file = &each, .numbers = numbers_of_piece(each.path, steps, by_epoch)};
    std::string kind = naming_of(each.path);
    if (const auto place = place_of_step(member.numbers, steps); place && times.has(member.numbers[*place].value))
      if (kinds.try_emplace(kind, *place).first->second.place() != *place) unclear.insert(kind);
    members.emplace_back(std::move(kind), std::move(member));
  }
  for (const std::string& each : unclear) kinds.erase(each);
  for (auto& [kind, member] : members) {
    const auto known = kinds.find(kind);
    if (known == kinds.end() || known->second.place() >= member.numbers.size()) continue;
    const std::int64_t step = member.numbers[known->second.place()].value;
    if (!times.has(step) || !is_of_another_life(*member.file, step, times, attempts))
      known->second.add(*member.file, member.numbers);
  }
  std::erase_if(kinds, [](const auto& each) { return each.second.members().empty(); });
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
                                        std::int64_t newest_step, const std::set<std::string>& expected,
                                        const BegunAttempts& attempts) {
  constexpr std::size_t kForKeep = 1, kToCondemn = 2;
  std::vector<HeldPieces> pieces(saves.size());
  const TimesOfSaves times(saves);
  std::set<std::int64_t> steps;
  for (const SavedAt& each : saves)
    if (each.step > 0) steps.insert(each.step);
  std::vector<PartsByName> for_keep(saves.size()), for_resume(saves.size());
  std::set<std::string> shown;
  for (const auto& [name, kind] : kinds_among(loose, times, steps, steps_by_epoch(saves), attempts)) {
    const CameInTime came = when_they_came(kind, times);
    const bool is_expected = expected.contains(name);
    if (!is_expected && came.before_its_save) continue;
    const bool may_run_ahead = !is_expected && runs_ahead(kind, times, newest_step);
    if (came.long_after_it && !may_hold_training(name)) continue;
    const bool comes_with_saves = (came.with_its_save || is_expected) && came.early <= came.behind_former;
    if (comes_with_saves || may_run_ahead) shown.insert(name);
    const auto short_ones = cut_off(kind, times, attempts, kForKeep, Shorter::AtAll);
    const auto cut_ones = cut_off(kind, times, attempts, kToCondemn, Shorter::ByMuch);
    for (const auto& [step, files] : kind.members()) {
      if (!times.has(step)) continue;
      // Also in front of one that an attempt left without its save.
      const bool may_be_written = times.is_newest(step) || kind.is_newest(step);
      const bool may_change = kind.may_get_more(step) || may_be_written_anew(kind, step, times);
      const bool is_there = !short_ones.contains(step) && !(may_be_written && may_change);
      const bool is_cut = cut_ones.contains(step);
      const bool tells = (is_expected || !came.after_the_next) && !may_run_ahead && !is_cut;
      for (const LooseFile* each : files) {
        const std::size_t of = nearest(saves, step, each->path);
        const bool is_torn = each->is_torn || (is_cut && !may_run_ahead);
        if (is_torn) pieces[of].torn.insert(name);
        if (is_torn) continue;
        if (is_there) for_keep[of].add(each->path);
        if (tells) for_resume[of].add(each->path);
      }
    }
  }
  for (std::size_t at = 0; at < saves.size(); ++at)
    pieces[at] = {.for_keep = kinds_in(for_keep[at], shown),
                  .for_resume = kinds_in(for_resume[at], shown),
                  .torn = std::move(pieces[at].torn)};
  return pieces;
}

}  // namespace reprise::agent
