// The process between a rehearsal and one command: see container_process.h.
#pragma once

#include "rehearsal/processes/container_process.h"

namespace reprise::rehearsal {

// Written on the report pipe: first, when the command runs or could not be started; then, when all has ended.
struct StartReport {
  pid_t main = -1;
  int error_number = 0;  // 0: it runs
  char doing[240] = {};  // the step that failed
};
struct EndReport {
  int wait_status = 0;
  int left_behind = 0;
};

// Signals by number that pass through the supervisor; SIGKILL is asked for by this one.
[[nodiscard]] int kill_request();

// The body of the fork; never returns. Signals that the supervisor waits for are blocked already. `report`: write end.
[[noreturn]] void supervise(const ContainerCommand& command, const Isolation& isolation, pid_t caller, int report);
// Blocks them, in the caller, before the fork.
void block_supervised_signals();

}  // namespace reprise::rehearsal
