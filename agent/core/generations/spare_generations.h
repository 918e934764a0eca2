// Narrows a plan (plan_pruning.h) to what may really go, once it is known what lies around.
#pragma once

#include <string>
#include <vector>

#include "agent/core/generations/plan_pruning.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

struct ToPrune {
  std::vector<std::string> names;       // names of checkpoints, newest first, of each generation all; then of side
                                        // files
  std::vector<std::string> left_alone;  // entries that stay for reasons that a person can do something about
};

// Spares everything on the word of a look that was cut short. A generation stays to whose checkpoints a link leads,
// that a tracker names or that one which stays names as the best so far, or beside which a file of the same save lies
// that no format knows: what is left of it would be half of one. `others`: what was set aside or ignored, and is
// nothing of the trainer's own.
[[nodiscard]] runtime::Result<ToPrune> spare_generations(const Volume& volume, const Checkpoints& found,
                                                         const Checkpoints& others, const PruningPlan& plan);

}  // namespace reprise::agent
