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

// All that is known of the saves of one job, by their steps.
class Counts {
 public:
  void add(std::int64_t step, std::int64_t attempt, const std::string& save, const HeldState& state,
           const HeldPieces& pieces) {
    Seen& seen = saves_[step];
    seen.attempt = std::max(seen.attempt, attempt);
    for (const StateFiles& each : state.kinds) note(seen, in_save(save, each), each);
    for (const auto* kinds : {&pieces.for_resume, &pieces.for_keep})
      for (const StateFiles& each : *kinds) note(seen, each.kind, each);
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

  // Whether the last saves have none.
  [[nodiscard]] bool came_no_more(const std::string& kind) const {
    constexpr std::size_t kSaves = 3;
    if (saves_.size() <= kSaves) return false;
    return std::all_of(saves_.rbegin(), std::next(saves_.rbegin(), kSaves),
                       [&](const auto& save) { return !save.second.counts.contains(kind); });
  }

 private:
  struct Seen {
    std::int64_t attempt = 0;
    std::map<std::string, std::int64_t> counts{};
  };

  void note(Seen& seen, const std::string& kind, const StateFiles& files) {
    if (are_of_ranks(files)) return;
    std::int64_t& count = seen.counts[kind];
    count = std::max(count, files.count);
    kinds_.emplace(kind, is_of_state(files) ? SaidToBe::OfTheState : SaidToBe::Anything);
  }

  [[nodiscard]] CountsAtSaves of(const std::string& kind) const {
    std::map<std::int64_t, std::int64_t> last;  // steps, by attempt
    for (const auto& [step, seen] : saves_) last[seen.attempt] = step;
    CountsAtSaves counts;
    for (const auto& [step, seen] : saves_) {
      const auto there = seen.counts.find(kind);
      counts.push_back({.count = there == seen.counts.end() ? 0 : there->second,
                        .attempt = seen.attempt,
                        .is_over = seen.attempt > 0 && last.at(seen.attempt) > step});
    }
    return counts;
  }

  std::map<std::int64_t, Seen> saves_;
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
  for (Generation& generation : generations)
    for (Generation::Part& part : generation.parts) {
      for (StateFiles& each : part.state.kinds)
        if (varying.contains(Counts::in_save(part.says.kind, each))) each.count = std::min<std::int64_t>(each.count, 1);
      for (StateFiles& each : part.pieces.for_keep)
        if (varying.contains(each.kind)) each.count = std::min<std::int64_t>(each.count, 1);
      std::erase_if(part.pieces.for_keep,
                    [&](const StateFiles& each) { return !may_be_needed(each) && counts.came_no_more(each.kind); });
    }
}

}  // namespace reprise::agent
