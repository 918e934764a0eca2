// Files on a checkpoint volume beside checkpoints: logs, models to start from, data. Only their owner may ever move or
// delete any of them.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/volumes/library_layouts.h"

namespace reprise::simulator {

// Files by their paths from the root. Some look like checkpoints, which only a format that is not named leaves alone
// (docs/checkpoints.md).
[[nodiscard]] FilesByName files_beside(bool format_is_named);

// Directories of so many runs before this job: more of them than an agent looks into at once. None has a marker.
[[nodiscard]] FilesByName former_runs(std::int64_t count);
// The directory of one of them that is there; empty: there is none.
[[nodiscard]] std::string first_former_run(const FilesByName& beside);

}  // namespace reprise::simulator
