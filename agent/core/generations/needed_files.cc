#include "agent/core/generations/needed_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "agent/core/generations/halves/changing_files.h"
#include "agent/core/generations/halves/halves_by_pieces.h"
#include "agent/core/generations/halves/lacking_state.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

// Counts of all that is known of the saves of one job, by their steps.
class Counts {
 public:
  void add(std::int64_t step, std::int64_t attempt, const std::string& save, const HeldState& state,
           const HeldPieces& pieces) {
    Seen& seen = saves_[step];
    seen.attempt = std::max(seen.attempt, attempt);
    seen.kinds.insert(save);
    last_[attempt] = std::max(last_[attempt], step);
    for (const StateFiles& each : state.kinds) note(seen, save, in_save(save, each), each);
    for (const auto* kinds : {&pieces.for_resume, &pieces.for_keep})
      for (const StateFiles& each : *kinds) note(seen, save, each.kind, each);
  }

  [[nodiscard]] static std::string in_save(const std::string& save, const StateFiles& files) {
    return save + "\n" + files.kind;
  }

  [[nodiscard]] std::set<std::string> that_vary() const {
    std::set<std::string> kinds;
    for (const auto& [kind, said] : kinds_)
      if (vary_in_number(of(kind), said)) kinds.insert(kind);
    return kinds;
  }

  // True if the last three saves like those that brought some have none, and were over: another checkpoint saves at
  // steps of its own ("last/step_380.pt"), and the newest file may still come.
  [[nodiscard]] bool came_no_more(const std::string& kind) const {
    constexpr int kSaves = 3;
    const auto brought = brought_by_.find(kind);
    if (brought == brought_by_.end()) return false;
    int without = 0;
    for (auto save = saves_.rbegin(); save != saves_.rend() && without < kSaves; ++save) {
      if (save->second.counts.contains(kind)) return false;
      const bool is_like_them = std::ranges::any_of(
          save->second.kinds, [&](const std::string& each) { return brought->second.contains(each); });
      if (is_like_them && is_over(save->first)) ++without;
    }
    return without == kSaves;
  }

  // True if no more files of the kind are to be expected of the save: its attempt has saved again since, or it has as
  // many as any other save.
  [[nodiscard]] bool has_all_to_come(std::int64_t step, const std::string& kind, std::int64_t count) const {
    if (is_over(step)) return true;
    return std::ranges::none_of(saves_, [&](const auto& save) {
      const auto there = save.second.counts.find(kind);
      return there != save.second.counts.end() && there->second > count;
    });
  }

 private:
  struct Seen {
    std::int64_t attempt = 0;
    std::set<std::string> kinds{};  // kinds of checkpoints
    std::map<std::string, std::int64_t> counts{};
  };

  [[nodiscard]] bool is_over(std::int64_t step) const {
    const auto save = saves_.find(step);
    return save != saves_.end() && save->second.attempt > 0 && last_.at(save->second.attempt) > step;
  }

  // Ranks' files tell nothing: each rank may write as many as it likes.
  void note(Seen& seen, const std::string& save, const std::string& kind, const StateFiles& files) {
    if (are_of_ranks(files)) return;
    brought_by_[kind].insert(save);
    std::int64_t& count = seen.counts[kind];
    count = std::max(count, files.count);
    kinds_.emplace(kind, is_of_state(files) ? SaidToBe::OfTheState : SaidToBe::Anything);
  }

  [[nodiscard]] CountsAtSaves of(const std::string& kind) const {
    CountsAtSaves counts;
    for (const auto& [step, seen] : saves_) {
      const auto there = seen.counts.find(kind);
      counts.push_back(
          {.count = there == seen.counts.end() ? 0 : there->second, .attempt = seen.attempt, .is_over = is_over(step)});
    }
    return counts;
  }

  std::map<std::int64_t, Seen> saves_;
  std::map<std::int64_t, std::int64_t> last_;                // steps, by attempt
  std::map<std::string, std::set<std::string>> brought_by_;  // kinds of checkpoints, by the kind of piece
  std::map<std::string, SaidToBe> kinds_;
};

Counts counts_among(const std::vector<Generation>& generations, const KnownParts& known, const std::string& job_uid) {
  Counts counts;
  std::set<std::string> there;
  for (const Generation& generation : generations)
    for (const Generation::Part& part : generation.parts) {
      there.insert(part.name);
      if (part.complete) counts.add(generation.step, part.attempt, part.says.kind, part.state, part.pieces);
    }
  for (const KnownPart& each : known) {
    if (each.made.job_uid != job_uid || there.contains(each.checkpoint.name)) continue;
    const SaveName says = read_save_name(each.checkpoint.name);
    if (says.step) counts.add(*says.step, each.made.attempt, says.kind, each.checkpoint.state, each.checkpoint.pieces);
  }
  return counts;
}

}  // namespace

void leave_out_needless(std::vector<Generation>& generations, const KnownParts& known, const std::string& job_uid) {
  const Counts counts = counts_among(generations, known, job_uid);
  const auto varying = counts.that_vary();
  for (Generation& generation : generations) {
    const auto one_or_none = [&](std::vector<StateFiles>& files, const auto& name_of) {
      std::erase_if(files, [&](StateFiles& each) {
        const std::string kind = name_of(each);
        if (!varying.contains(kind)) return false;
        if (!counts.has_all_to_come(generation.step, kind, each.count)) return true;
        each.count = std::min<std::int64_t>(each.count, 1);
        return false;
      });
    };
    for (Generation::Part& part : generation.parts) {
      one_or_none(part.state.kinds, [&](const StateFiles& each) { return Counts::in_save(part.says.kind, each); });
      one_or_none(part.pieces.for_keep, [](const StateFiles& each) { return each.kind; });
      std::erase_if(part.pieces.for_keep,
                    [&](const StateFiles& each) { return !may_be_needed(each) && counts.came_no_more(each.kind); });
    }
  }
}

}  // namespace reprise::agent
