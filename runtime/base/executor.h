// Runs asynchronous work on one thread that owns sockets and timers. Tests and the simulator drive it by hand under a
// virtual clock.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/clock.h"

namespace reprise::runtime {

// Destroying the handle cancels the timer; a callback that already runs on the executor's thread finishes first.
class Timer {
 public:
  virtual ~Timer() = default;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` on the executor's thread, soon, in order of posting. Callable from any thread.
  virtual void post(std::function<void()> work) = 0;
  // Runs `work` on the executor's thread after `delay`. Callable from any thread; keep the handle.
  [[nodiscard]] virtual std::unique_ptr<Timer> after(Duration delay, std::function<void()> work) = 0;
};

}  // namespace reprise::runtime
