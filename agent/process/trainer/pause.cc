#include "agent/process/trainer/pause.h"

#include <sys/wait.h>

#include <chrono>

#include "agent/process/system_signals.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

int pause_until_terminated() {
  const SystemSignals signals;
  const runtime::SystemClock clock;
  for (;;) {
    const auto signal = signals.wait(clock.steady() + std::chrono::hours(1));
    if (signal && (is_stop_request(*signal) || signal->number == SIGINT)) return 0;
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace reprise::agent
