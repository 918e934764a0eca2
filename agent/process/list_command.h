// `reprise-agent list-checkpoints` (core/list_checkpoints.h).
#pragma once

namespace reprise::agent {

// Returns the process's exit code. Does not return when a thread hangs in the storage: it exits then and there.
[[nodiscard]] int list_checkpoints();

}  // namespace reprise::agent
