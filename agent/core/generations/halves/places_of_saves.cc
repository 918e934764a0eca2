#include "agent/core/generations/halves/places_of_saves.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

// "out/rank@/step_#" and "out/archive/rank@/step_#": one path goes through a directory more, or several.
bool lies_deeper(std::string_view shallow, std::string_view deep) {
  for (std::size_t slash = shallow.find('/'); slash != std::string_view::npos; slash = shallow.find('/')) {
    if (!deep.starts_with(shallow.substr(0, slash + 1))) break;
    deep.remove_prefix(slash + 1);
    shallow.remove_prefix(slash + 1);
  }
  return deep.size() > shallow.size() && deep.ends_with(shallow) && deep[deep.size() - shallow.size() - 1] == '/';
}

constexpr std::array<std::string_view, 19> kWordsForPlaces{
    "archive", "archived",  "archives", "milestone", "milestones", "keep",     "kept", "backup", "backups", "bak",
    "old",     "permanent", "history",  "snapshots", "former",     "previous", "prev", "copy",   "copies"};

// True for a place to which a trainer brings its saves from elsewhere, by a word that the other one has not.
bool says_place(const Share& share, const Share& than) {
  return std::ranges::any_of(kWordsForPlaces, [&](std::string_view each) {
    const std::string word(each);
    return share.words.contains(word) && !than.words.contains(word);
  });
}

// False by clocks that tell whole seconds.
bool are_of_one_moment(const Share& one, const Share& other) {
  const bool is_whole = one.time.time_since_epoch() % std::chrono::seconds(1) == std::chrono::seconds(0);
  return one.time == other.time && !is_whole;
}

// The mean of a model's weights is trained beside it.
bool says_mean(const Share& share) {
  return share.words.contains("ema");
}

bool may_be_places(const Share& one, const Share& other) {
  if (one.family == other.family || last_part(one.family) != last_part(other.family)) return false;
  return !differ_by_state(one, other) && says_mean(one) == says_mean(other);
}

}  // namespace

bool is_former_place(std::string_view family, std::string_view of) {
  return lies_deeper(of, family);
}

bool are_places_of_one(const Share& one, const Share& other) {
  if (!may_be_places(one, other)) return false;
  return lies_deeper(one.family, other.family) || lies_deeper(other.family, one.family) ||
         (are_of_one_moment(one, other) && (says_place(one, other) || says_place(other, one)));
}

bool may_be_copied_with_times(const Share& share, const Share& of) {
  return share.time == of.time && says_place(share, of);
}

namespace {

// True for copies that were moved or copied with their times: these are the save's. Another training in a directory
// below does not.
bool bear_its_times(const Save& save, const std::string& family, const std::string& of) {
  std::set<runtime::WallTime> times;
  for (const auto& [key, share] : save.shares)
    if (share.complete && share.family == of) times.insert(share.time);
  return std::ranges::all_of(
      save.shares, [&](const auto& each) { return each.second.family != family || times.contains(each.second.time); });
}

}  // namespace

void leave_out_former_places(Save& save) {
  std::map<std::string, const Share*> families;  // families of whole shares, any one of each
  for (const auto& [key, share] : save.shares)
    if (share.complete) families.try_emplace(share.family, &share);
  std::set<std::string> former;
  for (const auto& [family, share] : families)
    for (const auto& [other, place] : families)
      if (is_former_place(family, other) && may_be_places(*share, *place) && says_place(*share, *place) &&
          bear_its_times(save, family, other))
        former.insert(family);
  if (former.empty()) return;
  std::erase_if(save.shares, [&](const auto& each) { return former.contains(each.second.family); });
  save.attempt = 0;
  for (const auto& [key, share] : save.shares) {
    if (share.attempt > save.attempt) save.gang = share.gang;
    save.attempt = std::max(save.attempt, share.attempt);
  }
}

}  // namespace reprise::agent
