// Signals as something to wait for: all that can be blocked are, and are read from a signalfd by the main thread, so
// that no code runs in a signal handler. Blocked signals reach PID 1 too, which the kernel otherwise spares them.
#pragma once

#include <csignal>
#include <optional>

#include "agent/file_descriptor.h"
#include "agent/stop_request.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

class Signals {
 public:
  // To be made before any thread is started: threads inherit the mask.
  Signals();

  // The next signal; nothing at the deadline, by runtime::SystemClock, or after `wake`.
  [[nodiscard]] std::optional<ReceivedSignal> wait(runtime::Instant until) const;
  // Ends a `wait` early; from any thread.
  void wake() const;
  // The mask the agent was started with: the trainer gets it back.
  [[nodiscard]] const sigset_t& original_mask() const { return original_; }

 private:
  sigset_t original_{};
  FileDescriptor signals_;
  FileDescriptor wake_;
};

}  // namespace reprise::agent
