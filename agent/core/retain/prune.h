// Deletes checkpoints, so that a half-deleted one can never be taken for complete: moved to the trash first or, where
// that is refused, made incomplete first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "agent/core/run/volume.h"

namespace reprise::agent {

// Deletes a checkpoint; one that could not be deleted is tried again next time.
[[nodiscard]] runtime::Result<void> prune(const Volume& volume, const std::string& name);
// Deletes the torn checkpoints of this job that restores have put aside, by the path that each had and the attempt
// whose restore it was.
using IsOutlived = std::function<bool(const std::string& path, std::int32_t put_aside_by)>;
[[nodiscard]] runtime::Result<void> drop_torn(const Volume& volume, const IsOutlived& is_outlived);
// Deletes what an earlier agent left in the trash.
void empty_trash(const Volume& volume);

}  // namespace reprise::agent
