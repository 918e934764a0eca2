// The state of a watch, readable by other threads: for probes and for the state dump.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/cache/watch/watch_machine.h"

namespace reprise::runtime {

struct WatchStatus {
  std::string namespace_;  // empty: all
  WatchState state = WatchState::Idle;
  std::optional<Duration> last_byte_age;  // empty: no byte has come yet
  Duration last_step_age{};               // since anything happened to it
  std::optional<Duration> overdue;        // since it should have acted and has not
};

// Written on the executor's thread, read from any; never blocks.
class WatchActivity {
 public:
  void stepped(WatchState state, std::optional<Instant> deadline, Instant now, bool byte) {
    state_ = state;
    deadline_ = deadline ? ticks(*deadline) : none;
    last_step_ = ticks(now);
    if (byte) last_byte_ = ticks(now);
  }
  [[nodiscard]] WatchStatus status(std::string ns, Instant now) const {
    WatchStatus status{.namespace_ = std::move(ns), .state = state_};
    if (const auto at = last_byte_.load(); at != none) status.last_byte_age = age(at, now);
    if (const auto at = last_step_.load(); at != none) status.last_step_age = age(at, now);
    if (const auto at = deadline_.load(); at != none && ticks(now) >= at) status.overdue = age(at, now);
    return status;
  }

 private:
  using Ticks = Instant::rep;
  static constexpr Ticks none = -1;
  static Ticks ticks(Instant at) { return at.time_since_epoch().count(); }
  static Duration age(Ticks at, Instant now) {
    return std::chrono::duration_cast<Duration>(Instant::duration{ticks(now) - at});
  }
  std::atomic<WatchState> state_{WatchState::Idle};
  std::atomic<Ticks> deadline_{none}, last_step_{none}, last_byte_{none};
};

// An error when a watch is connected and dead, or has forgotten to act: `limit` is how long it may be silent,
// `tolerance` how long after its own deadline. A server that cannot be reached is no such error: a restart mends
// nothing there.
[[nodiscard]] Result<void> check_watch(const WatchStatus& status, Duration limit, Duration tolerance);

}  // namespace reprise::runtime
