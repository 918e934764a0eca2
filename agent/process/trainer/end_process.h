// The end of a process of which a thread may hang in the storage.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "agent/core/run/run_agent.h"

namespace reprise::agent {

// Returns what main() has to return. Does not return where a thread was left behind: it exits then and there.
[[nodiscard]] inline int end_process(const Ended& ended) {
  if (ended.all_threads) return ended.exit_code;
  std::fflush(nullptr);
  std::_Exit(ended.exit_code);
}

}  // namespace reprise::agent
