#include "simulator/cluster/machine_clock.h"

namespace reprise::simulator {
namespace {

constexpr int million = 1'000'000;

}  // namespace

void MachineClock::set(Duration ahead, int gains_per_million) {
  gained_before_ = gained();
  since_ = loop_.now();
  per_million_ = gains_per_million;
  ahead_ = ahead - std::chrono::floor<std::chrono::microseconds>(gained_before_);
}

MachineClock::Nanoseconds MachineClock::gained() const {
  // One part in a million of a millisecond is a nanosecond.
  return gained_before_ + Nanoseconds{(loop_.now() - since_).count() * per_million_};
}

runtime::WallTime MachineClock::wall() const {
  return loop_.wall() + ahead_ + std::chrono::floor<std::chrono::microseconds>(gained());
}

Duration MachineClock::cluster_time(Duration own) const {
  const Duration::rep pace = million + per_million_;
  return Duration{(own.count() * million + pace - 1) / pace};
}

}  // namespace reprise::simulator
