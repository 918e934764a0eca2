// One run of the agent: start up, supervise, record. This is what `reprise-agent run` does, and what the simulator
// runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/core/run/environment.h"
#include "agent/core/run/host.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

struct Ended {
  int exit_code = 0;
  bool all_threads = true;  // false: one hangs in the storage and was left behind
};

// `host` lives as long as anything that was left behind.
[[nodiscard]] Ended run_agent(const Environment& env, std::shared_ptr<const Volume> volume, Host& host,
                              const std::vector<std::string>& command);

}  // namespace reprise::agent
