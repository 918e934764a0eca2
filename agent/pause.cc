#include "agent/pause.h"

#include <sys/wait.h>

#include <chrono>

#include "agent/signals.h"

namespace reprise::agent {

int pause_until_terminated() {
  const Signals signals;
  for (;;) {
    const auto signal = signals.wait(std::chrono::steady_clock::now() + std::chrono::hours(1));
    if (signal && (is_stop_request(*signal) || signal->number == SIGINT)) return 0;
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace reprise::agent
