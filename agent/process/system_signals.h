// Signals as something to wait for: all that can be blocked are, and are read from a signalfd by the main thread, so
// that no code runs in a signal handler. Blocked signals reach PID 1 too, which the kernel otherwise spares them.
#pragma once

#include <csignal>
#include <optional>

#include "agent/core/run/host.h"
#include "agent/volume/file_descriptor.h"

namespace reprise::agent {

class SystemSignals final : public Signals {
 public:
  // To be made before any thread is started: threads inherit the mask.
  SystemSignals();

  // Deadlines are runtime::SystemClock's.
  [[nodiscard]] std::optional<ReceivedSignal> wait(runtime::Instant until) const override;
  [[nodiscard]] std::optional<ReceivedSignal> wait_idle(runtime::Instant until) const override { return wait(until); }
  void wake() const override;
  // The mask the agent was started with: the trainer gets it back.
  [[nodiscard]] const sigset_t& original_mask() const { return original_; }

 private:
  sigset_t original_{};
  FileDescriptor signals_;
  FileDescriptor wake_;
};

}  // namespace reprise::agent
