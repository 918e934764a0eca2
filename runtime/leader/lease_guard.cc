#include "runtime/leader/lease_guard.h"

#include <algorithm>
#include <utility>

namespace reprise::runtime {

Duration next_look(const LeaseDeadline& deadline, Instant now) {
  constexpr Duration longest{1'000};
  const auto due = deadline.get();
  if (!due) return longest;
  return std::clamp(std::chrono::ceil<Duration>(*due - now), Duration{0}, longest);
}

LeaseGuard::LeaseGuard(const LeaseDeadline& deadline, const Clock& clock, std::function<void()> overdue)
    : thread_([this, &deadline, &clock, overdue = std::move(overdue)](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
          if (deadline.passed(clock.steady())) return overdue();
          wake_.wait_for(lock, stop, next_look(deadline, clock.steady()), [] { return false; });
        }
      }) {}

}  // namespace reprise::runtime
