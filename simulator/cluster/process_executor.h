// The executor of one operator process on the shared loop: what it planned dies with it.
#pragma once

#include <memory>

#include "runtime/base/executor.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

class ProcessExecutor final : public runtime::Executor {
 public:
  explicit ProcessExecutor(EventLoop& loop) : loop_(loop) {}

  void post(std::function<void()> work) override;
  [[nodiscard]] std::unique_ptr<runtime::Timer> after(Duration delay, std::function<void()> work) override;
  // Nothing that was planned runs any more.
  void die() { *alive_ = false; }

 private:
  EventLoop& loop_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace reprise::simulator
