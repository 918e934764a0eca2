#include "agent/core/watch/trailing_copies.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 17> kWordsForCopies{
    "best",     "top",    "ema",          "swa",       "avg",  "averaged", "average",   "hf",    "export",
    "exported", "merged", "consolidated", "quantized", "onnx", "eval",     "inference", "deploy"};

// A part of a save may be called so as well: what is of the same step is none.
constexpr std::string_view kWeights = "weights";

enum class Copy { No, Yes, WhenBehind };

struct Candidate {
  const Checkpoint* checkpoint;
  Copy copy = Copy::No;
  std::optional<std::int64_t> attempt{};  // attempt that made it; empty: no agent saw it appear
  bool doubtful = false;                  // somebody else's perhaps: no original of the job's
};

Copy says_copy(std::string_view path) {
  Copy says = Copy::No;
  for (const NamePart& part : parts_of_name(without_file_ending(path))) {
    if (std::ranges::find(kWordsForCopies, part.text) != kWordsForCopies.end()) return Copy::Yes;
    if (part.text == kWeights) says = Copy::WhenBehind;
  }
  return says;
}

bool stands_before(const Candidate& original, const Candidate& copy) {
  if (original.copy != Copy::No || original.doubtful) return false;
  const std::int64_t step = original.checkpoint->step, copied = copy.checkpoint->step;
  if (copy.copy == Copy::WhenBehind && step <= copied) return false;
  if (!copy.attempt) return step >= copied;
  if (!original.attempt) return false;
  return original.attempt == copy.attempt || step == copied;
}

// Saves with a word for copies that are further than all without one, which come often between two of those ("best"),
// and alone where a training has gone over to them (averaging at its end): several of them, and the next but one of
// the others is overdue.
struct Phase {
  static constexpr std::size_t kLeast = 3;
  static constexpr std::int64_t kPeriods = 2;

  std::vector<const Checkpoint*> saves{};
  std::int64_t furthest = 0, last_other = 0;
  std::optional<std::int64_t> period{};  // period of the others

  void add(const Checkpoint* save, const std::set<std::int64_t>& originals) {
    saves.push_back(save);
    furthest = std::max(furthest, save->step);
    last_other = *originals.rbegin();
    if (originals.size() > 1) period = last_other - *std::next(originals.rbegin());
  }
  [[nodiscard]] bool is_the_training() const {
    return saves.size() >= kLeast && period && furthest - last_other > kPeriods * *period;
  }
};

}  // namespace

std::set<std::string> trailing_copies(const std::vector<const Checkpoint*>& complete, const Appearances& appearances) {
  std::vector<Candidate> saves;
  for (const Checkpoint* each : complete) {
    const auto seen = appearances.find(each->name);
    saves.push_back({.checkpoint = each,
                     .copy = says_copy(each->name),
                     .attempt = seen == appearances.end() ? std::nullopt : std::optional(seen->second.attempt),
                     .doubtful = seen != appearances.end() && seen->second.doubtful});
  }
  std::set<std::string> trailing;
  std::map<std::string, Phase> phases;  // by how the saves are called
  for (const Candidate& each : saves) {
    if (each.copy == Copy::No) continue;
    std::set<std::int64_t> originals;
    for (const Candidate& other : saves)
      if (stands_before(other, each)) originals.insert(other.checkpoint->step);
    if (originals.empty()) continue;
    trailing.insert(each.checkpoint->name);
    if (each.attempt && *originals.rbegin() < each.checkpoint->step)
      phases[naming_of(each.checkpoint->name)].add(each.checkpoint, originals);
  }
  for (const auto& [naming, phase] : phases)
    if (phase.is_the_training())
      for (const Checkpoint* each : phase.saves) trailing.erase(each->name);
  return trailing;
}

}  // namespace reprise::agent
