// Files with a model's weights and no optimizer's state, in a series whose others have one. Pure.
#pragma once

#include <vector>

#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/formats/search/not_taken.h"

namespace reprise::agent {

// Leaves out those beside which a complete file of the same format lies that holds one (of Plain one that is named
// alike, where nothing else is of that save): nothing can go on from weights alone there. Where all are so the trainer
// needs no more. `left` is told of what is left out.
[[nodiscard]] std::vector<FoundCheckpoint> without_weights_alone(std::vector<FoundCheckpoint> found, NotTaken& left);

}  // namespace reprise::agent
