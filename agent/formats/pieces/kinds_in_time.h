// When loose files came beside the saves whose numbers they bear: by that data differs from what a save brings. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "agent/formats/name_numbers.h"
#include "agent/formats/pieces/begun_attempts.h"
#include "agent/formats/pieces/loose_file.h"
#include "agent/formats/pieces/pieces_of_saves.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// Files whose names differ in numbers alone.
class LooseKind {
 public:
  using ByStep = std::map<std::int64_t, std::vector<const LooseFile*>>;
  explicit LooseKind(std::size_t place) : place_(place) {}
  void add(const LooseFile& file, const std::vector<NumberInPath>& numbers) {
    members_[numbers[place_].value].push_back(&file);
  }
  [[nodiscard]] bool is_newest(std::int64_t step) const { return members_.rbegin()->first == step; }
  // Of the number that is the step.
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] const ByStep& members() const { return members_; }
  // Of one that may still be written: there may be more to come where no other has as many files.
  [[nodiscard]] bool may_get_more(std::int64_t step) const;
  // A gang that has shrunk or grown writes fewer or more files.
  [[nodiscard]] std::vector<std::int64_t> as_many_as(std::int64_t step) const;

 private:
  std::size_t place_;
  ByStep members_;
};

// When saves came.
class TimesOfSaves {
 public:
  explicit TimesOfSaves(const std::vector<SavedAt>& saves);
  [[nodiscard]] bool has(std::int64_t step) const { return first_.contains(step); }
  [[nodiscard]] bool is_newest(std::int64_t step) const { return !first_.empty() && first_.rbegin()->first == step; }
  [[nodiscard]] runtime::WallTime of(std::int64_t step) const { return first_.at(step); }
  // Of the save in front, and of the next one. Nothing where there is none, and where a clock was set back between the
  // two: then their times tell nothing of each other.
  [[nodiscard]] std::optional<runtime::WallTime> before(std::int64_t step) const { return before(first_, step); }
  [[nodiscard]] std::optional<runtime::WallTime> behind(std::int64_t step) const;
  // True if a save with a higher step came behind that time, and in front of all of `attempts` that began behind it.
  [[nodiscard]] bool went_on(std::int64_t step, runtime::WallTime since, const BegunAttempts& attempts) const;
  // Of those that lie where the newest one does: a copy elsewhere may be younger than the save, which may be gone.
  [[nodiscard]] std::optional<runtime::WallTime> before_at_place(std::int64_t step) const {
    return before(at_place_, step);
  }

 private:
  using ByStep = std::map<std::int64_t, runtime::WallTime>;
  [[nodiscard]] std::optional<runtime::WallTime> before(const ByStep& times, std::int64_t step) const;

  ByStep first_, at_place_;
};

// What the files of a kind say of when they came.
struct CameInTime {
  bool before_its_save = false;      // any: before the save in front of its own was over
  bool with_its_save = false;        // any
  bool after_the_next = false;       // any
  bool long_after_it = false;        // any: it may be an evaluation
  int early = 0, behind_former = 0;  // steps but the newest: before the save in front of their own was over, or behind
};
[[nodiscard]] CameInTime when_they_came(const LooseKind& kind, const TimesOfSaves& times);

// Numbered beyond `newest_step` by more than one, as data is. Where the pieces of two saves show that the kind comes
// with saves, or the newest one that it came behind its save, two numbers beyond may be left over: of attempts that
// ended between the piece and its save, behind the newest save, or of those before a roll back, in front of the newest
// save's own piece.
[[nodiscard]] bool runs_ahead(const LooseKind& kind, const TimesOfSaves& times, std::int64_t newest_step);

// Older than the attempt that made the checkpoint beside it: of another life of that step, which a person has given up.
// What an attempt has resumed from it may have saved once more.
[[nodiscard]] bool is_of_another_life(const LooseFile& file, std::int64_t step, const TimesOfSaves& times,
                                      const BegunAttempts& attempts);

// How much shorter than others shows that a piece is cut off. A save that is a little shorter may be so for its data:
// the sixteenth part of a file has to be missing, or it ends where a page does, as what a kill has cut off.
enum class Shorter { AtAll, ByMuch };
// Steps of which a piece may be cut off: it is shorter than `fewest` or more others before it with as many files, all
// as long, but for those that are cut off themselves; its attempt has made no save behind it; and it is the newest one,
// or another attempt has begun since. Where it shows its end itself its length tells nothing.
[[nodiscard]] std::set<std::int64_t> cut_off(const LooseKind& kind, const TimesOfSaves& times,
                                             const BegunAttempts& attempts, std::size_t fewest, Shorter shorter);

// The newest save's piece came before the save in front was over: an attempt before a roll back may have left it.
[[nodiscard]] bool may_be_written_anew(const LooseKind& kind, std::int64_t step, const TimesOfSaves& times);

}  // namespace reprise::agent
