#include "agent/core/generations/halves/half_saves.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/generations/halves/changing_files.h"
#include "agent/core/generations/halves/gangs/ranks_of_saves.h"
#include "agent/core/generations/halves/gangs/saves_by_share.h"
#include "agent/core/generations/halves/lacking_state.h"
#include "agent/core/generations/halves/places_of_saves.h"
#include "agent/core/generations/halves/shown_by_saves.h"
#include "agent/core/generations/halves/times_of_saves.h"
#include "agent/core/generations/halves/words/unclear_halves.h"
#include "agent/core/generations/smaller_gang.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

class Search {
 public:
  Search(Saves saves, Holds holds, StepsBy steps_by) : saves_(std::move(saves)), holds_(holds), steps_by_(steps_by) {}

  std::vector<HalfSave> run() {
    std::vector<HalfSave> halves;
    for (std::size_t at = 0; at < saves_.size(); ++at) {
      const Lack lack = lack_of(at);
      if (lack.is_whole() || is_of_smaller_gang(at, lack) || is_the_new_way(at, lack))
        note_whole(at);
      else
        halves.push_back(half(at, lack));
    }
    return halves;
  }

 private:
  struct Lack {
    std::map<std::string, std::string> lacks;   // shares; each with the name that people are told
    std::vector<std::string> lacks_state{};     // names for people
    std::set<std::string> of;                   // shares that are there, and of which others have to be
    std::map<std::string, StateKinds> state{};  // by shares that are there: what is not in them or beside them
    std::set<std::string> by_size{};            // families of which the gang's size calls for more
    bool of_larger_gang = false;                // than the smaller one had
    bool any_torn = false, any_rank = false, any_doubtful = false;  // kinds of those that it lacks
    std::int64_t attempt_before = 0;                                // attempt that made the one that has them
    [[nodiscard]] bool is_whole() const { return lacks.empty() && state.empty(); }
  };

  // The whole saves before that have it, the newest first.
  [[nodiscard]] const std::deque<std::size_t>& before_with(const std::string& share) const {
    static const std::deque<std::size_t> kNone;
    const auto found = whole_.find(share);
    return found == whole_.end() ? kNone : found->second;
  }

  void note_whole(std::size_t at) {
    for (const auto& [key, share] : saves_[at].shares)
      if (share.complete) whole_[key].push_front(at);
  }

  [[nodiscard]] Lack lack_of(std::size_t at) {
    const Save& save = saves_[at];
    Lack lack;
    for (const auto& [key, there] : save.shares) {
      if (!there.complete) continue;
      for (const auto& [other, torn] : save.shares)
        if (!torn.complete && is_half_by_itself(there, torn) &&
            !is_never_whole(key, other, torn.family == there.family || lie_beside(torn, there)))
          note(lack, key, other, torn.names.front(), true);
      const auto& before = before_with(key);
      const std::int64_t have = save.count(there.family);
      const bool is_counted = holds_ == Holds::AllRanks && before.empty();
      if (is_counted && there.of_several && have < *there.of_several)
        note(lack, key, there.family, there.names.front() + " (" + std::to_string(have) + " are there)", true);
      const auto as_large = of_gangs_as_large(before, save.gang);
      note_missing_ranks(lack, save, key, before, as_large);
      note_missing(lack, at, key, before);
      for (const auto& [save_before, other] : shown_.overdue_parts(at, key, before)) {
        note(lack, key, other, saves_[save_before].whole(other)->names.front(), false);
        lack.attempt_before = std::max(lack.attempt_before, saves_[save_before].attempt);
      }
      note_missing_state(lack, at, key, before);
      if (as_large.size() < before.size()) {
        note_missing(lack, at, key, as_large);
        note_missing_state(lack, at, key, as_large);
      }
    }
    return lack;
  }

  // Notes missing ranks by the size of the gang: of a save before which none had this part, or a smaller gang alone.
  void note_missing_ranks(Lack& lack, const Save& save, const std::string& key, const std::deque<std::size_t>& before,
                          const std::deque<std::size_t>& as_large) const {
    const Save* last = before.empty() ? nullptr : &saves_[before.front()];
    if (holds_ != Holds::AllRanks || (last != nullptr && !as_large.empty())) return;
    const auto lacks = last == nullptr ? ranks_lacking_of_first(save, key) : ranks_lacking_of_larger(save, key, *last);
    if (!lacks) return;
    const std::string& family = save.shares.at(key).family;
    note(lack, key, family, *lacks, false);
    lack.by_size.insert(family);
    lack.any_rank = true;
    if (last == nullptr) return;
    lack.attempt_before = std::max(lack.attempt_before, last->attempt);
    lack.of_larger_gang = lack.of_larger_gang || last->count(family) > 1;
  }

  // Notes what is missing by the last one of `before`, the newest first.
  void note_missing(Lack& lack, std::size_t at, const std::string& key, const std::deque<std::size_t>& before) {
    if (before.empty()) return;
    const Save& save = saves_[at];
    for (const auto& [other, share] : saves_[before.front()].shares) {
      if (!share.complete || save.whole(other) != nullptr) continue;
      const auto torn = save.shares.find(other);
      const bool is_torn = torn != save.shares.end();
      if (!belongs(at, before, key, other, is_torn)) continue;
      note(lack, key, other, is_torn ? torn->second.names.front() : share.names.front(), is_torn);
      lack.any_rank = lack.any_rank || share.family == save.shares.at(key).family;
      lack.any_doubtful = lack.any_doubtful || share.doubtful;
      lack.attempt_before = std::max(lack.attempt_before, saves_[before.front()].attempt);
    }
  }

  void note_missing_state(Lack& lack, std::size_t at, const std::string& key, const std::deque<std::size_t>& before) {
    if (before.empty() || lack.state.contains(key)) return;
    const Save &save = saves_[at], &last = saves_[before.front()];
    const StateKinds &now = save.whole(key)->state, &state_before = last.whole(key)->state;
    StateKinds lacking = lacking_state(now, state_before);
    std::erase_if(lacking, [&](const StateFiles& each) {
      return !is_usual(before, key, each) || shown_.may_lack_files(at, key, each);
    });
    for (const StateFiles& each : shown_.overdue_files(at, key, before)) lacking.push_back(each);
    if (holds_ == Holds::AllRanks && of_gangs_as_large(before, save.gang).empty()) {
      const auto of_larger = files_lacking_of_larger(now, save.gang, state_before, last.gang);
      const bool of_several = std::ranges::any_of(state_before, [](const StateFiles& each) { return each.count > 1; });
      lack.of_larger_gang = lack.of_larger_gang || (!of_larger.empty() && of_several);
      lacking.insert(lacking.end(), of_larger.begin(), of_larger.end());
    }
    if (lacking.empty()) return;
    lack.of.insert(key);
    for (const StateFiles& each : lacking) lack.lacks_state.push_back(one_of(each, now));
    lack.state[key] = std::move(lacking);
    lack.attempt_before = std::max(lack.attempt_before, last.attempt);
  }

  // True if a file came each time from its first save on, and twice where there had been saves without it, unless it
  // says that it is of the state.
  [[nodiscard]] bool is_usual(const std::deque<std::size_t>& before, const std::string& key,
                              const StateFiles& files) const {
    std::size_t in_a_row = 0;
    bool any_before = false;
    for (const std::size_t each : before) {
      const bool is_there = count_of(saves_[each].whole(key)->state, files.kind) > 0;
      if (is_there && any_before) return false;  // now and then
      any_before = any_before || !is_there;
      if (is_there) ++in_a_row;
    }
    return in_a_row > (any_before && !is_of_state(files) ? 1U : 0U);
  }

  // A gang that was smaller for a while has saved fewer parts meanwhile.
  [[nodiscard]] std::deque<std::size_t> of_gangs_as_large(const std::deque<std::size_t>& before, GangSize gang) const {
    std::deque<std::size_t> as_large;
    if (gang.ranks == 0) return as_large;
    for (const std::size_t each : before)
      if (saves_[each].gang.processes() >= gang.processes()) as_large.push_back(each);
    return as_large;
  }

  static void note(Lack& lack, const std::string& there, const std::string& other, const std::string& name, bool torn) {
    lack.of.insert(there);
    lack.lacks.try_emplace(other, name);
    lack.any_torn = lack.any_torn || torn;
  }

  // Directories of the other ranks look torn, save after save, where rank 0 alone sets a mark, and so do files in a
  // directory of their own that fit no layout that is known.
  [[nodiscard]] bool is_never_whole(const std::string& key, const std::string& other, bool are_of_one_place) const {
    const auto has = [](const Save& save, const std::string& share) { return save.whole(share) != nullptr; };
    const auto tells = [&](const Save& save) {
      const Share* share = save.find(other);
      return share != nullptr && (share->complete || (share->is_torn_file_of_a_format && are_of_one_place));
    };
    if (std::ranges::any_of(saves_, tells)) return false;
    return std::ranges::count_if(saves_, [&](const Save& each) { return has(each, key); }) > 1;
  }

  // True for a torn share that makes a half whatever was saved before.
  static bool is_half_by_itself(const Share& there, const Share& torn) {
    if (is_copy(torn, there)) return false;
    if (torn.family == there.family) return true;
    return torn.is_torn_file_of_a_format && differ_by_state(torn, there) && lie_in_directories_alike(torn, there);
  }

  // True if `other`, which the last save with `key` has, has to be beside it. `before`: the newest first.
  [[nodiscard]] bool belongs(std::size_t at, const std::deque<std::size_t>& before, const std::string& key,
                             const std::string& other, bool is_torn) {
    const Share &there = *saves_[before.front()].whole(key), &lacking = *saves_[before.front()].whole(other);
    if (is_copy(lacking, there)) return false;
    if (are_places_of_one(lacking, there) && !came_with({saves_, key, other, at}, before)) return false;
    if (goes_its_own_way(before.front(), at, key, other)) return false;
    if (lacking.family == there.family) return true;
    if (comes_and_goes(at, key, other, lacking, there)) return false;
    const auto since = since_it_came(before, other);
    const bool always = !since.empty() && were_over({saves_, key, other, at}, since);
    const bool differ_by_number = naming_of(lacking.names.front()) == naming_of(there.names.front());
    const bool lie_together = steps_by_ == StepsBy::Names && lie_beside(lacking, there);
    return always &&
           (is_torn || differ_by_number || lie_together || differ_by_state(lacking, there) || since.size() > 1);
  }

  // `other`, beside the share `key`.
  [[nodiscard]] bool comes_and_goes(std::size_t at, const std::string& key, const std::string& other,
                                    const Share& lacking, const Share& there) {
    if (say_ranks(lacking.names.front())) return false;
    const bool is_state = differ_by_state(lacking, there);
    return shown_.may_lack_part(at, key, other, is_state ? SaidToBe::OfTheState : SaidToBe::Anything);
  }

  // The saves that have it, where it came each time from the first of them on, and twice where there had been others;
  // none: it comes now and then.
  [[nodiscard]] std::deque<std::size_t> since_it_came(const std::deque<std::size_t>& before,
                                                      const std::string& other) const {
    const auto has = [&](std::size_t each) { return saves_[each].whole(other) != nullptr; };
    const auto first = std::ranges::find_if_not(before, has);
    const std::deque<std::size_t> since(before.begin(), first);
    const bool is_new = first != before.end() && since.size() < 2;
    return is_new || std::any_of(first, before.end(), has) ? std::deque<std::size_t>() : since;
  }

  // Workers that save each at its own pace may have come by the same step once.
  [[nodiscard]] bool goes_its_own_way(std::size_t both, std::size_t at, const std::string& key,
                                      const std::string& other) const {
    constexpr std::ptrdiff_t kNoAccident = 2;
    const auto is_alone = [&](const Save& each) {
      return each.step > saves_[both].step && each.step != saves_[at].step && each.whole(other) != nullptr &&
             !each.shares.contains(key);
    };
    return std::ranges::count_if(saves_, is_alone) >= kNoAccident;
  }

  // The number of its ranks is known: nothing has to show that it is the new way.
  [[nodiscard]] bool is_of_smaller_gang(std::size_t at, const Lack& lack) const {
    const Save& save = saves_[at];
    if (holds_ != Holds::AllRanks || lack.any_torn || save.attempt < lack.attempt_before) return false;
    if (!has_state_of_smaller_gang(at, lack)) return false;
    return std::ranges::all_of(lack.lacks, [&](const auto& lacking) {
      return std::ranges::any_of(lack.of, [&](const std::string& key) {
        const auto& before = before_with(key);
        if (before.empty()) return false;
        const Save& last = saves_[before.front()];
        const Share& there = *last.whole(key);
        const Share* other = last.whole(lacking.first);
        if (other == nullptr || other->family != there.family || there.of_several) return false;
        const auto needed = parts_of_smaller_gang({.one = there.names.front(),
                                                   .other = other->names.front(),
                                                   .count = last.count(there.family),
                                                   .gang = last.gang},
                                                  save.gang);
        return needed && save.count_of_its_attempt(there.family) >= *needed;
      });
    });
  }

  [[nodiscard]] bool has_state_of_smaller_gang(std::size_t at, const Lack& lack) const {
    return std::ranges::all_of(lack.state, [&](const auto& each) {
      return has_files_of_smaller_gang(saves_[at], each.first, each.second,
                                       saves_[before_with(each.first).front()].gang);
    });
  }

  // True if the save has any part that the save `at` lacks, or as much of it.
  [[nodiscard]] bool has_lacking(const Save& save, std::size_t at, const Lack& lack) const {
    if (std::ranges::any_of(lack.by_size, [&](const auto& each) { return save.count(each) > saves_[at].count(each); }))
      return true;
    if (std::ranges::any_of(lack.lacks, [&](const auto& each) { return save.shares.contains(each.first); }))
      return true;
    return std::ranges::any_of(lack.state, [&](const auto& each) {
      const Share* there = save.whole(each.first);
      return there != nullptr && std::ranges::any_of(each.second, [&](const StateFiles& files) {
               return count_of(there->state, files.kind) >= files.count;
             });
    });
  }

  // True if it lacks a rank's part that a gang as large had.
  [[nodiscard]] bool lacks_ranks(std::size_t at, const Lack& lack) const {
    return std::ranges::any_of(lack.lacks, [&](const auto& lacking) {
      return std::ranges::any_of(lack.of, [&](const std::string& key) {
        const auto& before = before_with(key);
        const auto has = [&](std::size_t each) { return saves_[each].whole(lacking.first) != nullptr; };
        const auto last = std::ranges::find_if(before, has);
        return last != before.end() && are_ranks_lacking(saves_[at], saves_[*last], key, lacking.first);
      });
    });
  }

  // A gang that has shrunk goes on without the others. One that is as large as before, or larger, may save otherwise
  // now; but one of its ranks may also be ahead of the others.
  [[nodiscard]] bool is_the_new_way(std::size_t at, const Lack& lack) const {
    if (lack.any_torn) return false;
    constexpr std::size_t kByALaterAttempt = 2, kByAnybody = 3, kByRanksOfALargeGang = 5;
    const std::size_t by_anybody = lacks_ranks(at, lack) ? kByRanksOfALargeGang : kByAnybody;
    const std::int64_t attempt = saves_[at].attempt;
    const bool is_later = attempt > lack.attempt_before && by_anybody == kByAnybody && !lack.of_larger_gang;
    std::size_t in_a_row = 0, of_one_attempt = 0;
    for (std::size_t next = at; next < saves_.size(); ++next) {
      const Save& save = saves_[next];
      const bool has_all = std::ranges::all_of(lack.of, [&](const auto& each) { return save.whole(each) != nullptr; });
      if (has_lacking(save, at, lack)) break;
      if (!has_all) continue;  // save of another training perhaps
      if (save.attempt == attempt) ++of_one_attempt;
      ++in_a_row;
      if (in_a_row >= by_anybody || (is_later && of_one_attempt >= kByALaterAttempt)) return true;
    }
    return false;
  }

  [[nodiscard]] HalfSave half(std::size_t at, const Lack& lack) const {
    HalfSave half{.step = saves_[at].step, .halves = {}, .lacks = lack.lacks_state};
    const bool is_cut_off = lack.any_torn || lack.any_rank;
    half.is_cut_off = is_cut_off;
    half.is_over = lack.any_doubtful || (!is_cut_off && std::ranges::all_of(lack.of, [&](const auto& key) {
                     const Share* share = saves_[at].whole(key);
                     const bool goes_on = (lack.lacks.empty() || saves_[at].gang.is_alone()) && shown_.is_over(at, key);
                     return goes_on || (share != nullptr && share->says_it_ended);
                   }));
    for (const auto& [share, name] : lack.lacks) half.lacks.push_back(name);
    for (const auto& [key, share] : saves_[at].shares)
      if (share.complete && goes_with(at, key, lack))
        half.halves.insert(half.halves.end(), share.names.begin(), share.names.end());
    return half;
  }

  // True also for what a save before had beside them, and the part of a rank that none had.
  [[nodiscard]] bool goes_with(std::size_t at, const std::string& key, const Lack& lack) const {
    const Share& there = saves_[at].shares.at(key);
    if (lack.of.contains(key) || lack.by_size.contains(there.family)) return true;
    const bool is_new = before_with(key).empty() && there.attempt > 0;
    return std::ranges::any_of(lack.of, [&](const std::string& each) {
      const Share& other = *saves_[at].whole(each);
      if (is_copy(there, other)) return false;
      if (is_new && there.family == other.family && there.attempt == other.attempt) return true;
      return std::ranges::any_of(before_with(each),
                                 [&](std::size_t save) { return saves_[save].whole(key) != nullptr; });
    });
  }

  Saves saves_;
  Holds holds_;
  StepsBy steps_by_;
  ShownBySaves shown_{saves_};
  std::map<std::string, std::deque<std::size_t>> whole_;  // by their shares, of those looked at until now
};

}  // namespace

std::vector<HalfSave> find_half_saves(const Checkpoints& found, const MadeCheckpoints& made, Holds holds) {
  auto halves = Search(saves_in(found, made), holds, StepsBy::Names).run();
  for (HalfSave& half : Search(saves_in(found, made, StepsBy::UnknownWords), holds, StepsBy::UnknownWords).run()) {
    half.is_over = true;  // nothing is moved by a number that may be anything
    halves.push_back(std::move(half));
  }
  std::ranges::move(find_unclear_halves(found), std::back_inserter(halves));
  std::ranges::sort(halves, std::ranges::greater(), &HalfSave::step);
  return halves;
}

}  // namespace reprise::agent
