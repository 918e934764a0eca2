// The executor of one operator process on the shared loop: it waits by its machine's clock, and its planned work dies
// with it.
#pragma once

#include <functional>
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
  // Drops all planned work.
  void die() { life_->over = true; }
  // Runs work that comes due before `time` only then.
  void stand_still_until(Duration time) { life_->awake_at = time; }
  // True until work that came due meanwhile, the operator's own deadlines among it, has had its turn.
  [[nodiscard]] bool stands_still() const { return life_->awake_at > Duration{0} && loop_.now() <= life_->awake_at; }

 private:
  struct Life {
    bool over = false;
    Duration awake_at{0};
  };
  class PlannedWork;
  static void run(EventLoop& loop, const std::shared_ptr<Life>& life, const std::shared_ptr<EventLoop::Ticket>& ticket,
                  std::function<void()> work);

  EventLoop& loop_;
  const MachineClock& clock_;
  std::shared_ptr<Life> life_ = std::make_shared<Life>();
};

}  // namespace reprise::simulator
