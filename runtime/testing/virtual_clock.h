// A clock that stands still until it is told to move.
#pragma once

#include <atomic>

#include "runtime/base/clock.h"

namespace reprise::runtime::testing {

// Callable from any thread.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime start = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}})
      : start_(start) {}
  [[nodiscard]] WallTime wall() const override { return start_ + elapsed(); }
  // Begins at one hour, so that subtracting from it stays in range.
  [[nodiscard]] Instant steady() const override { return Instant{std::chrono::hours{1}} + elapsed(); }
  void advance(Duration by) { elapsed_ms_ += by.count(); }

 private:
  [[nodiscard]] Duration elapsed() const { return Duration{elapsed_ms_.load()}; }
  WallTime start_;
  std::atomic<Duration::rep> elapsed_ms_{0};
};

}  // namespace reprise::runtime::testing
