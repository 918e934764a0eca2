// The instant at which a held lease is over, as the elector knows it: written by one thread, read by any, never blocks.
#pragma once

#include <atomic>
#include <optional>

#include "runtime/base/clock.h"

namespace reprise::runtime {

class LeaseDeadline {
 public:
  void set(Instant deadline) { ticks_ = deadline.time_since_epoch().count(); }
  // No lease is held, or nothing writes any more.
  void clear() { ticks_ = none; }
  [[nodiscard]] std::optional<Instant> get() const {
    const Instant::rep ticks = ticks_;
    if (ticks == none) return std::nullopt;
    return Instant{Instant::duration{ticks}};
  }
  [[nodiscard]] bool passed(Instant now) const {
    const auto deadline = get();
    return deadline && now >= *deadline;
  }

 private:
  static constexpr Instant::rep none = Instant::rep{-1};
  static_assert(std::atomic<Instant::rep>::is_always_lock_free);
  std::atomic<Instant::rep> ticks_{none};
};

}  // namespace reprise::runtime
