// The processes below the agent, as /proc shows them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agent/core/stop/processes.h"

namespace reprise::agent {

// Called with each process while /proc is read, also with those that start meanwhile (growing_list.h).
void each_process(const std::function<void(pid_t)>& tell);

// The number that the newest process or thread of this PID namespace was given, by /proc/loadavg; empty where it does
// not say so (gVisor says 0).
[[nodiscard]] std::optional<pid_t> newest_pid();

// True if there is such a process and it has not ended.
[[nodiscard]] bool is_running(pid_t pid);

// 0: there is no such process.
[[nodiscard]] pid_t parent_of(pid_t pid);

// Its environment numbers it among others as the agent's own does not: torchrun's, DeepSpeed's or MPI's.
[[nodiscard]] bool was_given_a_rank(pid_t pid);

// Everything below `ancestor` (process_list.h). A /proc that is missing or shows another PID namespace gives nothing.
[[nodiscard]] std::vector<Process> processes_below(pid_t ancestor);

}  // namespace reprise::agent
