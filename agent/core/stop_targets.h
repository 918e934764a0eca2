// Who among the trainer's processes is signalled to stop: a pure decision over what /proc shows.
//
// The trainer saves while it ends, and what it saves with must live as long: a data loader's workers, the `tee` that
// its output goes through. So its process group is not signalled as a whole (stop_plan.h says when it is).
#pragma once

#include <sys/types.h>

#include <vector>

#include "agent/core/processes.h"

namespace reprise::agent {

struct StopTargets {
  int signal = 0;
  std::vector<pid_t> pids;  // from the top down
};

// `trainer` is the agent's child; `signal` the one that requested the stop of the agent. The targets are
//   - the topmost processes that handle the signal: whoever is below one is its own affair (a launcher passes the
//   signal
//     on to its workers; signalled twice, they would begin their saving anew);
//   - those above them that would end of the signal, and so would have ended of it anywhere else;
//   - the trainer, where nobody handles it;
//   - where the trainer itself has ended, the topmost of what it left behind that handle the signal.
// Looked through are shells, whose traps wait for the command in front, and whoever blocks or ignores the signal, as
// small init programs do: what they wait for is signalled, and they end with its exit code. SIGTERM takes the place of
// another signal that nobody handles.
[[nodiscard]] StopTargets stop_targets(int signal, pid_t trainer, const std::vector<Process>& processes);

}  // namespace reprise::agent
