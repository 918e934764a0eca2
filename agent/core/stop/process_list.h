// The processes below one, listed while they start others and end: pure.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "agent/core/stop/processes.h"

namespace reprise::agent {

// /proc, which changes while it is read.
struct ProcessTable {
  std::function<std::vector<pid_t>()> pids;
  std::function<Process(pid_t)> read;  // parent 0: it has gone
};

// Parents stand before their children. A process that runs below `ancestor` while the numbers are read for the last
// time (growing_list.h) is in the list, whoever started it and ended meanwhile.
[[nodiscard]] std::vector<Process> list_below(pid_t ancestor, const ProcessTable& table);

}  // namespace reprise::agent
