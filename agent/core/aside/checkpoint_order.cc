#include "agent/core/aside/checkpoint_order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "agent/core/watch/trailing_copies.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/date_in_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/recognise/stand_ins.h"

namespace reprise::agent {
namespace {

struct Placed {
  Checkpoint checkpoint;
  std::optional<std::int64_t> generation;  // the attempt that made it; empty: no agent saw it appear
  bool may_be_none = false;
  bool is_copy = false;                        // trailing_copies.h
  bool doubtful = false;                       // own_places.h
  bool is_outdone = false;                     // doubtful, and not further than what the job has made without a doubt
  bool says_step = true;                       // its name has one number that is the step, or a date
  bool is_epoch = false;                       // and that is the number of an epoch: no step is higher or lower
  std::int64_t order = 0;                      // order in which an agent saw it appear
  runtime::WallTime completed{};               // never before what is known to have been completed earlier
  std::optional<std::int64_t> among_equals{};  // the attempt that counts where times are the same
};

// If the steps of one attempt's checkpoints rise as an agent saw them appear, they were completed so, whatever a clock
// says that was set back. Low numbers may be those of places that are written to in turn.
void settle_by_appearance(std::vector<Placed*>& attempt) {
  constexpr std::int64_t kLeast = 10;
  std::vector<Placed*> appeared = attempt;
  std::ranges::sort(appeared, {}, &Placed::order);
  const auto falls = [](const Placed* a, const Placed* b) { return b->checkpoint.step <= a->checkpoint.step; };
  const bool rise = std::ranges::adjacent_find(appeared, falls) == appeared.end();
  const bool say_steps = std::ranges::all_of(appeared, [](const Placed* each) {
    return each->checkpoint.step >= kLeast && names_checkpoint(each->checkpoint.name);
  });
  if (rise && say_steps) attempt = std::move(appeared);
}

// `parts` in the order in which they were completed.
void keep_order(std::vector<Placed*>& parts) {
  runtime::WallTime last = runtime::WallTime::min();
  for (Placed* each : parts) {
    last = std::max(last, each->checkpoint.time);
    each->completed = last;
  }
}

// True if no number falls from one name to the next: "checkpoint_1_500", "checkpoint_2_1500".
bool no_number_falls(const std::vector<Placed*>& parts) {
  const auto falls = [](const Placed* a, const Placed* b) {
    const auto before = numbers_in(last_part(a->checkpoint.name)), after = numbers_in(last_part(b->checkpoint.name));
    return !std::ranges::equal(before, after,
                               [](const NameNumber& x, const NameNumber& y) { return x.value <= y.value; });
  };
  return std::ranges::adjacent_find(parts, falls) == parts.end();
}

void settle_completion(std::vector<Placed>& all) {
  std::vector<Placed*> seen, unseen;
  for (Placed& each : all) (each.generation ? seen : unseen).push_back(&each);
  std::sort(seen.begin(), seen.end(), [](const Placed* a, const Placed* b) {
    return std::tie(a->generation, a->checkpoint.time, a->checkpoint.step) <
           std::tie(b->generation, b->checkpoint.time, b->checkpoint.step);
  });
  std::vector<Placed*> settled;
  for (auto first = seen.begin(); first != seen.end();) {
    const auto last =
        std::find_if(first, seen.end(), [&](const Placed* each) { return each->generation != (*first)->generation; });
    std::vector<Placed*> attempt(first, last);
    std::erase_if(attempt, [](const Placed* each) { return !each->checkpoint.complete; });
    settle_by_appearance(attempt);
    settled.insert(settled.end(), attempt.begin(), attempt.end());
    first = last;
  }
  seen = std::move(settled);
  std::sort(unseen.begin(), unseen.end(), [](const Placed* a, const Placed* b) {
    return std::tie(a->checkpoint.step, a->checkpoint.time) < std::tie(b->checkpoint.step, b->checkpoint.time);
  });
  keep_order(seen);
  // The times alone order names that say no step, unless none of their numbers contradicts another one.
  const auto clear = std::ranges::stable_partition(unseen, [](const Placed* each) { return !each->says_step; }).begin();
  std::vector<Placed*> unclear(unseen.begin(), clear);
  unseen.erase(unseen.begin(), clear);
  if (no_number_falls(unclear))
    keep_order(unclear);
  else
    for (Placed* each : unclear) each->completed = each->checkpoint.time;
  // The times also tell whether "epoch_10" is further than "step_500".
  const auto steps = std::ranges::stable_partition(unseen, &Placed::is_epoch).begin();
  std::vector<Placed*> epochs(unseen.begin(), steps);
  unseen.erase(unseen.begin(), steps);
  keep_order(epochs);
  keep_order(unseen);
}

// Some volumes keep whole seconds: of a save that its agent has seen and a further one that it has not, in the same
// second, the number tells which came later.
void settle_equals(std::vector<Placed>& all) {
  for (Placed& each : all) {
    each.among_equals = each.generation;
    const bool is_whole = each.completed.time_since_epoch() % std::chrono::seconds(1) == std::chrono::seconds(0);
    if (each.generation || !is_whole || !each.says_step || !each.checkpoint.complete) continue;
    const Placed* last = nullptr;
    for (const Placed& other : all) {
      const bool is_like_it = other.generation && other.checkpoint.complete && other.says_step &&
                              other.is_epoch == each.is_epoch && other.completed == each.completed &&
                              naming_of(other.checkpoint.name) == naming_of(each.checkpoint.name);
      if (is_like_it && (last == nullptr || *other.generation > *last->generation)) last = &other;
    }
    if (last != nullptr && each.checkpoint.step > last->checkpoint.step) each.among_equals = last->generation;
  }
}

constexpr int kFirstRank = 4;
int rank_of(const Placed& each) {
  if (!each.checkpoint.complete) return 0;
  if (each.may_be_none) return 1;
  if (each.is_outdone) return 2;
  return each.is_copy ? 3 : kFirstRank;
}

bool is_before(const Placed& a, const Placed& b) {
  if (rank_of(a) != rank_of(b)) return rank_of(a) > rank_of(b);
  const auto& x = a.checkpoint;
  const auto& y = b.checkpoint;
  if (!x.complete) return std::tie(x.step, x.name) > std::tie(y.step, y.name);
  return std::tie(a.completed, a.among_equals, x.step, x.name) > std::tie(b.completed, b.among_equals, y.step, y.name);
}

// A neighbour's save of a lower step is no news of this training, nor is an epoch of one that saves by steps.
void find_outdone(std::vector<Placed>& all) {
  std::map<bool, std::int64_t> furthest;  // by epochs or not
  for (const Placed& each : all) {
    const bool counts = each.checkpoint.complete && !each.may_be_none && each.generation && !each.doubtful;
    if (!counts || !each.says_step) continue;
    std::int64_t& known = furthest[each.is_epoch];
    known = std::max(known, each.checkpoint.step);
  }
  for (Placed& each : all) {
    const auto known = furthest.find(each.is_epoch);
    const bool is_further = furthest.empty() || (known != furthest.end() && each.checkpoint.step > known->second);
    each.is_outdone = each.doubtful && !is_further;
  }
}

// Tells of a checkpoint that nobody saw appear whether one that an agent saw, the newest first from `seen` on, is as
// far, or counts otherwise.
bool is_behind_seen(const Placed& each, std::vector<Placed>::const_iterator seen,
                    std::vector<Placed>::const_iterator end) {
  if (!each.says_step) return false;
  const auto alike = std::find_if(seen, end, [&](const Placed& other) {
    return other.generation && rank_of(other) == kFirstRank && other.is_epoch == each.is_epoch;
  });
  return alike == end || each.checkpoint.step <= alike->checkpoint.step;
}

void find_copies(std::vector<Placed>& all, const Appearances& appearances) {
  std::vector<const Checkpoint*> certain;
  for (const Placed& each : all)
    if (each.checkpoint.complete && !each.may_be_none) certain.push_back(&each.checkpoint);
  const std::set<std::string> copies = trailing_copies(certain, appearances);
  for (Placed& each : all) each.is_copy = copies.contains(each.checkpoint.name);
}

}  // namespace

bool may_be_none(const Checkpoint& checkpoint, const MadeCheckpoints& made) {
  // The number of "last-v1.ckpt" is no step: models to start from are called so too.
  const bool is_last = is_named_as_stand_in(last_part(checkpoint.name));
  if (!is_last && names_checkpoint(checkpoint.name)) return false;
  // "rank0/300.pt" is one where the format was named alone.
  constexpr std::string_view kPlain = "Plain";
  if (checkpoint.format == kPlain && names_checkpoint(without_file_ending(last_part(checkpoint.name)))) return false;
  const std::string naming = naming_of(checkpoint.name);
  return std::none_of(made.begin(), made.end(), [&](const auto& each) { return naming_of(each.name) == naming; });
}

void sort_newest_first(Checkpoints& found, const MadeCheckpoints& made) {
  std::vector<Placed> all;
  const Appearances appearances = appearances_in(made);
  for (Checkpoint& each : found) {
    const auto appeared = appearances.find(each.name);
    const bool was_seen = appeared != appearances.end();
    const bool none = may_be_none(each, made);
    const SaveName says = read_save_name(each.name);
    const bool says_step = says.step || date_in_name(last_part(each.name));
    all.push_back({.checkpoint = std::move(each),
                   .generation = was_seen ? std::optional(appeared->second.attempt) : std::nullopt,
                   .may_be_none = none,
                   .doubtful = was_seen && appeared->second.doubtful,
                   .says_step = says_step,
                   .is_epoch = says.is_epoch,
                   .order = was_seen ? appeared->second.order : 0});
  }
  find_copies(all, appearances);
  find_outdone(all);
  settle_completion(all);
  settle_equals(all);
  std::sort(all.begin(), all.end(), is_before);
  // A checkpoint that nobody saw appear is the newest only when its time says so, and its step where the name has one.
  const auto seen = std::find_if(all.begin(), all.end(), [](const Placed& each) {
    return each.generation.has_value() && rank_of(each) == kFirstRank;
  });
  const bool outdone = seen != all.end() && std::any_of(all.begin(), seen, [&](const Placed& each) {
                         return is_behind_seen(each, seen, all.cend());
                       });
  if (outdone) std::rotate(all.begin(), seen, std::next(seen));
  found.clear();
  for (Placed& each : all) found.push_back(std::move(each.checkpoint));
}

std::optional<Checkpoint> newest_complete(const Checkpoints& found, const MadeCheckpoints& made) {
  if (found.empty() || !found.front().complete || may_be_none(found.front(), made)) return std::nullopt;
  return found.front();
}

std::string out_of_order(const Checkpoints& found, const MadeCheckpoints& made, const std::string& job_uid) {
  struct Counted {
    const Checkpoint* checkpoint;
    std::string kind;          // kind: ranks and parts have an order of their own for each of them
    std::int64_t attempt = 0;  // attempt that made it; 0: no agent saw it appear
  };
  std::vector<Counted> counted;
  const Appearances appearances = appearances_in(made);
  for (const Checkpoint& each : found) {
    if (!each.complete || may_be_none(each, made)) continue;
    if (is_doubtful(appearances, each.name)) continue;
    const auto appeared = appearances.find(each.name);
    counted.push_back({.checkpoint = &each,
                       .kind = read_save_name(each.name).kind,
                       .attempt = appeared == appearances.end() ? 0 : appeared->second.attempt});
  }
  for (auto later = counted.begin(); later != counted.end(); ++later) {
    for (auto earlier = std::next(later); earlier != counted.end(); ++earlier) {
      const Checkpoint &last = *later->checkpoint, &before = *earlier->checkpoint;
      if (earlier->kind != later->kind) continue;
      const bool of_one_attempt = later->attempt > 0 && later->attempt == earlier->attempt;
      const bool goes_back = of_one_attempt && last.time < before.time;
      if (before.step <= last.step && !goes_back) continue;
      if (!made_by(job_uid, last.name, made) && !made_by(job_uid, before.name, made)) continue;
      if (goes_back)
        return "checkpoint " + last.name + " appeared after " + before.name +
               ", and by its time it was completed before: a clock was set back, or the numbers of names do not rise: "
               "nothing is pruned";
      return "checkpoint " + last.name + " was completed after " + before.name + ", and its number " +
             std::to_string(last.step) + " is lower than " + std::to_string(before.step) +
             ": nothing is pruned; let the last number in the name of a checkpoint be its step";
    }
  }
  return {};
}

}  // namespace reprise::agent
