// The files that another process holds open, as /proc shows them: no call of this asks the volume.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/core/run/host.h"

namespace reprise::agent {

// Nothing of a process that has gone, or of another user.
[[nodiscard]] HeldFiles files_held_by(pid_t pid, const std::string& directory);

}  // namespace reprise::agent
