#include "agent/core/generations/epoch_and_step.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

struct TwoNumbers {
  NameNumber first{}, second{};  // in the last part of the path
  std::string group{};           // the path without any number of that part
};

std::optional<TwoNumbers> two_numbers_in(std::string_view path) {
  const std::string_view last = last_part(path);
  TwoNumbers two{.group = std::string(path.substr(0, path.size() - last.size()))};
  std::size_t bare = 0, copied = 0;
  for (const NameNumber& each : numbers_in(last)) {
    two.group.append(last.substr(copied, each.begin - copied)).append("#");
    copied = each.end;
    if (each.counts == NameNumber::Counts::Parts) continue;
    if (each.counts != NameNumber::Counts::Bare || !each.value || ++bare > 2) return std::nullopt;
    (bare == 1 ? two.first : two.second) = each;
  }
  two.group.append(last.substr(copied));
  return bare == 2 ? std::optional(std::move(two)) : std::nullopt;
}

enum class Shown { Nothing, First, Second };

Shown shown_by(const std::set<Pair>& pairs) {
  constexpr std::size_t kFewestSaves = 3;
  if (pairs.size() < kFewestSaves) return Shown::Nothing;
  bool second_rises = true, first_rises = true;
  for (auto each = pairs.begin(); each != pairs.end(); ++each) {
    const auto& [first, second] = *each;
    second_rises = second_rises && second > first;
    first_rises = first_rises && first > second;
    if (each == pairs.begin()) continue;
    const auto& [first_before, second_before] = *std::prev(each);
    const std::int64_t by_first = first - first_before, by_second = second - second_before;
    second_rises = second_rises && by_second > 1 && by_second > by_first;
    first_rises = first_rises && by_first > 1 && by_second == 0;
  }
  return second_rises ? Shown::Second : first_rises ? Shown::First : Shown::Nothing;
}

SaveName save_name(std::string_view path, const TwoNumbers& two, Shown shown) {
  const std::string_view last = last_part(path);
  std::string part(path.substr(0, path.size() - last.size()));
  part.append(last.substr(0, two.first.begin)).append("#");
  part.append(last.substr(two.first.end, two.second.begin - two.first.end));
  // A number that never changes may be a rank's.
  part.append(shown == Shown::Second ? "#" : last.substr(two.second.begin, two.second.end - two.second.begin));
  part.append(last.substr(two.second.end));
  const auto step = shown == Shown::Second ? two.second.value : two.first.value;
  return {.step = step,
          .order = step,
          .likely = step,
          .has_numbers = true,
          .part = part,
          .kind = part,
          .series = part,
          .share = part,
          .family = part};
}

}  // namespace

std::map<std::string, SaveName> told_by_all(const std::vector<std::string>& names) {
  std::map<std::string, std::set<Pair>> pairs;
  for (const std::string& each : names)
    if (const auto two = two_numbers_in(each)) pairs[two->group].emplace(*two->first.value, *two->second.value);
  std::map<std::string, SaveName> told;
  for (const std::string& each : names) {
    const auto two = two_numbers_in(each);
    const Shown shown = two ? shown_by(pairs[two->group]) : Shown::Nothing;
    if (shown != Shown::Nothing) told.emplace(each, save_name(each, *two, shown));
  }
  return told;
}

}  // namespace reprise::agent
