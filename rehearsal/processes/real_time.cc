#include "rehearsal/processes/real_time.h"

#include <poll.h>

#include <algorithm>
#include <iterator>

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

// Bounds a turn: at a speed at which the cluster's work costs more than its time is long, due work never ends.
constexpr Duration kLongestWork{500};

Duration scaled(Duration duration, double by) {
  return Duration{static_cast<Duration::rep>(static_cast<double>(duration.count()) * by)};
}

}  // namespace

RealTime::RealTime(simulator::EventLoop& loop, const runtime::Clock& clock, double speed)
    : loop_(loop),
      clock_(clock),
      speed_(speed),
      begin_(clock.steady()),
      wall_begin_(clock.wall()),
      stretches_{{.cluster = loop.now(), .pace = speed}} {}

Duration RealTime::to_cluster(Duration real) const {
  return scaled(real, speed_);
}

Duration RealTime::to_real(Duration cluster) const {
  return scaled(cluster, 1 / speed_);
}

Duration RealTime::real_elapsed() const {
  return std::chrono::duration_cast<Duration>(clock_.steady() - begin_);
}

void RealTime::set_pace(double pace) {
  if (stretches_.back().pace == pace) return;
  const Duration real = real_elapsed();
  stretches_.push_back({.real = real, .cluster = cluster_at(real), .pace = pace});
}

Duration RealTime::cluster_at(Duration real) const {
  const auto after = std::ranges::upper_bound(stretches_, real, {}, &Stretch::real);
  const Stretch& stretch = after == stretches_.begin() ? *after : *std::prev(after);
  return stretch.cluster + scaled(real - stretch.real, stretch.pace);
}

Duration RealTime::now() const {
  return cluster_at(real_elapsed());
}

Duration RealTime::cluster_time(runtime::WallTime real) const {
  return cluster_at(std::chrono::duration_cast<Duration>(real - wall_begin_));
}

void RealTime::watch(int descriptor, std::function<void()> on_ready) {
  watched_[descriptor] = std::move(on_ready);
}

void RealTime::forget(int descriptor) {
  watched_.erase(descriptor);
}

void RealTime::turn(Duration longest) {
  if (const auto next = loop_.next())
    longest = std::min(longest, scaled(*next - now(), 1 / stretches_.back().pace) + Duration{1});
  wait(std::max(longest, Duration{0}));
  const Duration due = std::max(now(), loop_.now());
  const runtime::Instant begun = clock_.steady();
  while (loop_.next() && *loop_.next() <= due) {
    // More may have become due meanwhile than was done: the caller has other things to look at.
    if (clock_.steady() - begun > kLongestWork) return;
    loop_.step();
  }
  loop_.run_until(due);
}

void RealTime::wait(Duration longest) {
  std::vector<pollfd> descriptors;
  for (const auto& [descriptor, work] : watched_) descriptors.push_back({.fd = descriptor, .events = POLLIN});
  if (::poll(descriptors.data(), descriptors.size(), static_cast<int>(longest.count())) <= 0) return;
  for (const pollfd& each : descriptors) {
    if (each.revents == 0) continue;
    auto found = watched_.extract(each.fd);
    // Work may have forgotten others.
    if (found) loop_.after(Duration{0}, std::move(found.mapped()));
  }
}

}  // namespace reprise::rehearsal
