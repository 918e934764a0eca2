// The executor of one operator process on the shared loop: it waits by its machine's clock, and what it planned dies
// with it.
#pragma once

#include <memory>

#include "runtime/base/executor.h"
#include "simulator/cluster/machine_clock.h"

namespace reprise::simulator {

class ProcessExecutor final : public runtime::Executor {
 public:
  // Both outlive it.
  ProcessExecutor(EventLoop& loop, const MachineClock& clock) : loop_(loop), clock_(clock) {}

  void post(std::function<void()> work) override;
  [[nodiscard]] std::unique_ptr<runtime::Timer> after(Duration delay, std::function<void()> work) override;
  // Nothing that was planned runs any more.
  void die() { *alive_ = false; }

 private:
  EventLoop& loop_;
  const MachineClock& clock_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace reprise::simulator
