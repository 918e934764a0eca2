// An executor that a test drives: nothing runs until settle() or advance().
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/base/executor.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime::testing {

// post() and after() from any thread; the rest from the test's thread, which plays the executor's thread.
class ManualExecutor final : public Executor {
 public:
  explicit ManualExecutor(VirtualClock& clock);
  ~ManualExecutor() override;

  void post(std::function<void()> work) override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, std::function<void()> work) override;

  // Runs due work until none is left.
  void settle();
  // Moves time on, from timer to timer, settling at each.
  void advance(Duration by);
  // When the next timer is due.
  [[nodiscard]] std::optional<Instant> next_timer() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime::testing
