// The program: reads the own Node, finds out whose metadata service to ask, and watches until SIGTERM.
#pragma once

#include "node-agent/options.h"

namespace reprise::node_agent {

// Returns the exit code: 0 after SIGTERM or SIGINT. Tries again whatever fails, for ever.
[[nodiscard]] int run(const Options& options);

}  // namespace reprise::node_agent
