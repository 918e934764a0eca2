// `reprise-agent run -- COMMAND...`: start up, supervise, record.
#pragma once

#include <string>
#include <vector>

namespace reprise::agent {

// Returns the process's exit code. Does not return when a thread hangs in the storage: it exits then and there.
[[nodiscard]] int run(const std::vector<std::string>& command);

}  // namespace reprise::agent
