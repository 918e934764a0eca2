// Finds the processes that train, by the share of a core that each computes: pure. told.h has the rule.
#pragma once

#include <sys/types.h>

#include <vector>

#include "agent/core/stop/processes.h"

namespace reprise::agent {

// The ranks from the top down; empty where nobody is known to compute.
[[nodiscard]] std::vector<pid_t> ranks_by_burn(int signal, const std::vector<Process>& processes);

}  // namespace reprise::agent
