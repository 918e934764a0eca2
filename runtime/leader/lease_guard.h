// Ends a process that still runs when its lease is over. It has a thread of its own and takes no lock that others hold:
// a stuck I/O loop, a drain that hangs or a blocked log do not keep it from acting.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "runtime/leader/lease_deadline.h"

namespace reprise::runtime {

// How long to wait until the next look: up to the deadline, at most a second, since the deadline may come or go.
[[nodiscard]] Duration next_look(const LeaseDeadline& deadline, Instant now);

// Destroying it ends the watch; the deadline and the clock outlive it.
class LeaseGuard {
 public:
  // `overdue` runs once, on the guard's thread, when the deadline has passed. It must not block: in a real process it
  // does not return.
  LeaseGuard(const LeaseDeadline& deadline, const Clock& clock, std::function<void()> overdue);
  LeaseGuard(const LeaseGuard&) = delete;
  LeaseGuard& operator=(const LeaseGuard&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace reprise::runtime
