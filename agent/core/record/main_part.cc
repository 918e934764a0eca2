#include "agent/core/record/main_part.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/core/restore/choose_resume.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

bool is_word_of_side_file(std::string_view word) {
  constexpr std::array<std::string_view, 13> kWords{"opt",    "optim",      "optimizer", "optimizers", "sched",
                                                    "lr",     "scheduler",  "rng",       "random",     "scaler",
                                                    "loader", "dataloader", "buffer"};
  return std::ranges::find(kWords, word) != kWords.end();
}

bool is_side_file(std::string_view name) {
  return std::ranges::any_of(parts_of_name(last_part(name)),
                             [](const NamePart& part) { return is_word_of_side_file(part.text); });
}

// The words and numbers that all parts of a save have in common: "epoch", "1", "pt" of epoch.1.opt.pt, "step", "10" of
// step_10-shard3.
std::vector<std::string> common_words(std::string_view name) {
  std::vector<std::string> words;
  bool behind_rank = false;
  for (NamePart& part : parts_of_name(name)) {
    const bool is_rank = part.is_number ? behind_rank : meaning_of(part.text) == WordFor::Ranks;
    behind_rank = is_rank && !part.is_number;
    if (!is_rank && !is_word_of_side_file(part.text)) words.push_back(std::move(part.text));
  }
  return words;
}

// Ranks count from 0 or 1, so that the text tells which is the lowest.
auto order_of(const Checkpoint& part) {
  return std::tuple(is_side_file(part.name), part.name);
}

}  // namespace

Checkpoint main_part(const Checkpoint& chosen, const Identity& self, const VolumeScan& scan, const Unproven& unproven,
                     bool format_is_certain) {
  Checkpoint best = chosen;
  const auto consider = [&](const Checkpoint& part) {
    const bool may_be = part.step == chosen.step && part.format == chosen.format &&
                        may_be_resumed(part, scan.made, format_is_certain) && !unproven.names.contains(part.name);
    if (may_be && order_of(part) < order_of(best)) best = part;
  };
  for (const Checkpoint& part : save_of(chosen, self, scan))
    if (directory_of(part.name) == directory_of(chosen.name) || naming_of(part.name) == naming_of(chosen.name))
      consider(part);
  // Of a save that another job has made the names alone tell.
  const auto common = common_words(chosen.name);
  for (const Checkpoint& part : scan.found)
    if (common_words(part.name) == common) consider(part);
  return best;
}

}  // namespace reprise::agent
