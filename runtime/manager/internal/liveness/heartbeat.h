// Proves that the executor's loop turns: it notes the time every few seconds, and health looks at the note.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/base/error.h"
#include "runtime/base/executor.h"

namespace reprise::runtime::internal {

class Heartbeat {
 public:
  Heartbeat(Executor& executor, const Clock& clock) : executor_(executor), clock_(clock) {}

  // On the executor's thread.
  void start();
  void stop() { timer_.reset(); }
  // Any thread. Unavailable when the loop has not turned for 30 s: six heartbeats, and longer than any work that may
  // run on it. Before start() all is well.
  [[nodiscard]] Result<void> check() const;

 private:
  static constexpr Duration period{5'000};
  static constexpr Duration limit{30'000};
  [[nodiscard]] std::int64_t now() const;

  Executor& executor_;
  const Clock& clock_;
  std::unique_ptr<Timer> timer_;
  std::atomic<std::int64_t> last_{0};
};

}  // namespace reprise::runtime::internal
