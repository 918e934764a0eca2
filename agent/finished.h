// Whether this member has finished in an earlier attempt: then its trainer is not run again.
#pragma once

#include <optional>

#include "agent/identity.h"
#include "agent/record.h"
#include "agent/volume.h"

namespace reprise::agent {

// Only records of the same job UID count: the volume may carry those of an earlier job.
[[nodiscard]] runtime::Result<std::optional<Record>> find_finished(const Volume& volume, const Identity& self);

}  // namespace reprise::agent
