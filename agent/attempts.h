// The attempts that have left something on the volume.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/volume.h"

namespace reprise::agent {

// Newest first. Of this job and of earlier ones: what lies there names its job.
[[nodiscard]] runtime::Result<std::vector<std::int32_t>> list_attempts(const Volume& volume);

}  // namespace reprise::agent
