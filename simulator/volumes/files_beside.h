// What lies on a checkpoint volume beside checkpoints: logs, models to start from, data. None of it may ever be moved
// or deleted by anybody but its owner.
#pragma once

#include "simulator/volumes/library_layouts.h"

namespace reprise::simulator {

// By their paths from the root. Some of it looks like a checkpoint, which only a format that is not named leaves alone
// (docs/checkpoints.md).
[[nodiscard]] FilesByName files_beside(bool format_is_named);

}  // namespace reprise::simulator
