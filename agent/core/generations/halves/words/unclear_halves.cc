#include "agent/core/generations/halves/words/unclear_halves.h"

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
  runtime::WallTime first = runtime::WallTime::max(), last = runtime::WallTime::min();  // times of the whole ones
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

// Parts that ranks write come together, and saves do not: what comes one by one may be an epoch at each resolution.
bool came_together(const UnclearSave& save, const UnclearSave& next) {
  constexpr int kApart = 4;
  return save.torn.empty() && save.others.size() > 1 && next.first > save.last &&
         (save.last - save.first) * kApart < next.first - save.last;
}

// Finds the names that are missing: both of the last two saves came with all of it and more, and it is no new way to
// save.
class Missing {
 public:
  explicit Missing(const BySteps& saves) {
    for (const auto& [step, save] : saves) saves_.push_back(&save);
  }

  // Names like those that are missing of it; none: nothing tells that any are.
  [[nodiscard]] std::vector<std::string> of(std::size_t at, const std::vector<std::size_t>& whole) const {
    if (whole.size() < 2 || is_the_new_way(at)) return {};
    const UnclearSave &last = *saves_[whole.back()], &before = *saves_[whole[whole.size() - 2]], &save = *saves_[at];
    if (!has_the_same_names(last, before) || !came_together(before, last) || !came_together(last, save)) return {};
    std::vector<std::string> missing;
    for (const std::string& name : last.whole)
      if (const auto other = without_order(name); other && !save.others.contains(other->first)) missing.push_back(name);
    return missing.size() < last.whole.size() ? missing : std::vector<std::string>();
  }
  [[nodiscard]] const UnclearSave& save(std::size_t at) const { return *saves_[at]; }

 private:
  static bool has_the_same_names(const UnclearSave& one, const UnclearSave& other) {
    return std::ranges::equal(one.others, other.others, {}, &std::pair<const std::string, bool>::first,
                              &std::pair<const std::string, bool>::first);
  }
  [[nodiscard]] bool is_the_new_way(std::size_t at) const {
    constexpr std::size_t kInARow = 3;
    std::size_t alike = 0;
    for (std::size_t next = at; next < saves_.size() && has_the_same_names(*saves_[next], *saves_[at]); ++next) ++alike;
    return alike >= kInARow;
  }

  std::vector<const UnclearSave*> saves_;
};

}  // namespace

std::vector<HalfSave> find_unclear_halves(const Checkpoints& found) {
  std::map<std::string, BySteps> kinds;
  for (const Checkpoint& each : found) {
    const auto name = without_order(each.name);
    if (!name) continue;
    UnclearSave& save = kinds[name->second][read_save_name(each.name).likely.value_or(0)];
    (each.complete ? save.whole : save.torn).push_back(each.name);
    save.others[name->first] = each.complete;
    if (!each.complete) continue;
    save.first = std::min(save.first, each.time);
    save.last = std::max(save.last, each.time);
  }
  std::vector<HalfSave> halves;
  for (const auto& [kind, saves] : kinds) {
    const Missing missing(saves);
    std::vector<std::size_t> whole;
    std::size_t at = 0;
    for (const auto& [step, save] : saves) {
      const std::size_t here = at++;
      const bool is_torn = !whole.empty() && !save.torn.empty() && !save.whole.empty() &&
                           has_the_same_whole(missing.save(whole.back()), save);
      const auto lacks = is_torn || save.whole.empty() ? save.torn : missing.of(here, whole);
      if (is_torn || (!save.whole.empty() && !lacks.empty()))
        halves.push_back({.step = step, .halves = save.whole, .lacks = lacks});
      else
        whole.push_back(here);
    }
  }
  return halves;
}

}  // namespace reprise::agent
