// Where one thing that looks like a checkpoint lies in another. Pure.
#pragma once

#include <vector>

#include "agent/formats/look_at_checkpoint.h"

namespace reprise::agent {

// Torn by the Marker format, which takes what is only named like a checkpoint. Data may have as many as directories.
[[nodiscard]] bool is_one_by_name_alone(const FoundCheckpoint& found);

// Leaves out what bears a marker or a name alone, lies below the root and is called by digits alone (that is how data
// is cut up, and a marker is what Spark leaves in it), what holds others and is one by its name alone ("checkpoints-v2"
// is where checkpoints lie), and what lies in a torn one of a trainer that writes a marker: it is a part of it.
[[nodiscard]] std::vector<FoundCheckpoint> without_nested(std::vector<FoundCheckpoint> found);

}  // namespace reprise::agent
