// Private to this folder: waits for what ends a process or asks it something.
#pragma once

#include <functional>

namespace reprise::runtime {

// Call it before any thread exists: SIGTERM, SIGINT and SIGUSR1 come to wait_for_stop() only; SIGPIPE is ignored.
void block_stop_signals();
// Returns at SIGTERM, SIGINT or when `stop_event` (an eventfd) has a value. Runs `asked` at each SIGUSR1.
void wait_for_stop(int stop_event, const std::function<void()>& asked);

}  // namespace reprise::runtime
