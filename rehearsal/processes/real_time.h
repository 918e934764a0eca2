// Drives an event loop by the machine's clock, `speed` times as fast or for a while at another pace, and wakes for
// events outside of it.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "runtime/base/clock.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::rehearsal {

class RealTime {
 public:
  // Both outlive it. The loop's present is now.
  RealTime(simulator::EventLoop& loop, const runtime::Clock& clock, double speed);
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

  // One turn: waits until the next piece of work is due, a descriptor is readable, or `longest` (real) has passed; then
  // does due work, for half a second at most. Work that is late is done in its order, at the time it was planned for.
  void turn(runtime::Duration longest);

  // `on_ready` is called once, from turn(). The handle forgets it.
  void watch(int descriptor, std::function<void()> on_ready);
  void forget(int descriptor);

  // Sets the cluster's seconds per real second from now on. Earlier times stay as they were.
  void set_pace(double pace);

  // The cluster's time now; the loop's own is behind while it is late, and ahead while it waits for an answer.
  [[nodiscard]] runtime::Duration now() const;
  [[nodiscard]] runtime::Duration cluster_time(runtime::WallTime real) const;
  // Converts at the full speed.
  [[nodiscard]] runtime::Duration to_cluster(runtime::Duration real) const;
  [[nodiscard]] runtime::Duration to_real(runtime::Duration cluster) const;
  [[nodiscard]] runtime::Duration real_elapsed() const;
  [[nodiscard]] double speed() const { return speed_; }

 private:
  // A time that goes at one pace, and its begin on both clocks.
  struct Stretch {
    runtime::Duration real{0}, cluster{0};
    double pace = 1;
  };
  void wait(runtime::Duration longest);
  [[nodiscard]] runtime::Duration cluster_at(runtime::Duration real) const;

  simulator::EventLoop& loop_;
  const runtime::Clock& clock_;
  double speed_;
  runtime::Instant begin_;
  runtime::WallTime wall_begin_;
  std::vector<Stretch> stretches_;  // in order of time; never empty
  std::map<int, std::function<void()>> watched_;
};

}  // namespace reprise::rehearsal
