#include "agent/core/generations/unclear_halves.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

struct UnclearSave {
  std::vector<std::string> whole, torn;  // names
  std::map<std::string, bool> others{};  // the names without what orders them; whether each is whole
};
using BySteps = std::map<std::int64_t, UnclearSave>;

// "out/checkpoint_#_1.pt", and of its kind "out/checkpoint_#_#.pt"; nothing where the step is clear or no number orders
// the save.
std::optional<std::pair<std::string, std::string>> without_order(const std::string& name) {
  const SaveName says = read_save_name(name);
  if (says.step || !says.likely) return std::nullopt;
  const std::string_view last = last_part(name);
  const auto numbers = numbers_in(last);
  const auto orders = std::find_if(numbers.rbegin(), numbers.rend(), [&](const NameNumber& each) {
    return each.value == says.likely && each.counts != NameNumber::Counts::Parts;
  });
  if (orders == numbers.rend()) return std::nullopt;  // a date
  const std::string before = name.substr(0, name.size() - last.size() + orders->begin);
  return std::pair(before + "#" + std::string(last.substr(orders->end)), says.kind);
}

bool has_the_same_whole(const UnclearSave& before, const UnclearSave& save) {
  return before.torn.empty() &&
         std::ranges::equal(before.others, save.others, {}, &std::pair<const std::string, bool>::first,
                            &std::pair<const std::string, bool>::first);
}

}  // namespace

std::vector<HalfSave> find_unclear_halves(const Checkpoints& found) {
  std::map<std::string, BySteps> kinds;
  for (const Checkpoint& each : found) {
    const auto name = without_order(each.name);
    if (!name) continue;
    UnclearSave& save = kinds[name->second][read_save_name(each.name).likely.value_or(0)];
    (each.complete ? save.whole : save.torn).push_back(each.name);
    save.others[name->first] = each.complete;
  }
  std::vector<HalfSave> halves;
  for (const auto& [kind, saves] : kinds) {
    const UnclearSave* before = nullptr;
    for (const auto& [step, save] : saves) {
      const bool is_half = before != nullptr && !save.torn.empty() && !save.whole.empty();
      if (is_half && has_the_same_whole(*before, save))
        halves.push_back({.step = step, .halves = save.whole, .lacks = save.torn});
      else
        before = &save;
    }
  }
  return halves;
}

}  // namespace reprise::agent
