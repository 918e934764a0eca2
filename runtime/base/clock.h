// Time is injected: logic never asks the machine what time it is.
// `wall` is for people and the API (it may jump); `steady` is for intervals and deadlines (it never goes back).
// Both may be called from any thread.
#pragma once

#include <time.h>

#include <chrono>

namespace reprise::runtime {

using Duration = std::chrono::milliseconds;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
using Instant = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime wall() const = 0;
  [[nodiscard]] virtual Instant steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
  // The kernel's clock that goes on while a machine is suspended: std::chrono::steady_clock stands still meanwhile, and
  // a lease does not.
  [[nodiscard]] Instant steady() const override {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return Instant{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
  }
};

}  // namespace reprise::runtime
