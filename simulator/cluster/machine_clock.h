// The clock of one machine: its time of day may be off, and its seconds a little longer or shorter than the cluster's.
// Equal to the loop's own until it is set.
#pragma once

#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

class MachineClock final : public runtime::Clock {
 public:
  // adjtimex(2): the most by which NTP slews a clock.
  static constexpr int kMostPerMillion = 500;

  // `loop` outlives this.
  explicit MachineClock(const EventLoop& loop) : loop_(loop) {}

  // Holds from now on. The time of day jumps to so much before or after the cluster's; the steady clock goes on at its
  // new pace, so many microseconds ahead in each second.
  void set(Duration ahead, int gains_per_million);

  [[nodiscard]] runtime::WallTime wall() const override;
  [[nodiscard]] runtime::Instant steady() const override { return loop_.steady() + gained(); }
  // The cluster's time until so much has passed here; never too short.
  [[nodiscard]] Duration cluster_time(Duration own) const;

 private:
  using Nanoseconds = std::chrono::nanoseconds;
  [[nodiscard]] Nanoseconds gained() const;

  const EventLoop& loop_;
  Duration since_{0};
  int per_million_ = 0;
  Nanoseconds gained_before_{0};
  std::chrono::microseconds ahead_{0};  // the time of day's, without the gain
};

}  // namespace reprise::simulator
