#include "agent/core/record/main_part.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "agent/core/restore/choose_resume.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

bool is_side_file(std::string_view name) {
  constexpr std::array<std::string_view, 13> kWords{"opt",    "optim",      "optimizer", "optimizers", "sched",
                                                    "lr",     "scheduler",  "rng",       "random",     "scaler",
                                                    "loader", "dataloader", "buffer"};
  return std::ranges::any_of(parts_of_name(last_part(name)), [&](const NamePart& part) {
    return std::ranges::find(kWords, part.text) != kWords.end();
  });
}

// Ranks count from 0 or 1, so that the text tells which is the lowest.
auto order_of(const Checkpoint& part) {
  return std::tuple(is_side_file(part.name), part.name);
}

}  // namespace

Checkpoint main_part(const Checkpoint& chosen, const Identity& self, const VolumeScan& scan, const Unproven& unproven,
                     bool format_is_certain) {
  Checkpoint best = chosen;
  for (const Checkpoint& part : save_of(chosen, self, scan)) {
    const bool is_beside =
        directory_of(part.name) == directory_of(chosen.name) || naming_of(part.name) == naming_of(chosen.name);
    const bool may_be = part.step == chosen.step && part.format == chosen.format && is_beside &&
                        may_be_resumed(part, scan.made, format_is_certain) && !unproven.names.contains(part.name);
    if (may_be && order_of(part) < order_of(best)) best = part;
  }
  return best;
}

}  // namespace reprise::agent
