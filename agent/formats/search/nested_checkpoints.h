// Handles things that look like a checkpoint and lie in another one. Pure.
#pragma once

#include <vector>

#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/formats/search/not_taken.h"

namespace reprise::agent {

// Torn by the Marker format, which takes what is only named like a checkpoint. Data may have as many as directories.
[[nodiscard]] bool is_one_by_name_alone(const FoundCheckpoint& found);

// A checkpoint is one whole unit. Leaves out what lies in a directory that names a step itself
// (names/step_directory.h), or in a torn one of a trainer that writes a marker: it is a part of it; what holds others
// and is one by its name alone ("checkpoints-v2" is where checkpoints lie); and what bears a marker or a name alone,
// lies below the root and is called by digits alone, where its place does not say checkpoint: that is how data is cut
// up, and `_SUCCESS` is what Spark leaves in it; and what lies where unfinished saves lie (names/unfinished_name.h).
// `left` is told of what is left out, but of names alone.
[[nodiscard]] std::vector<FoundCheckpoint> without_nested(std::vector<FoundCheckpoint> found, NotTaken& left);

}  // namespace reprise::agent
