#include "simulator/cluster/machine_clock.h"

#include <gtest/gtest.h>

namespace reprise::simulator {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(MachineClock, until_it_is_set_it_is_the_clusters) {
  EventLoop loop;
  const MachineClock clock(loop);
  loop.run_until(hours(3));
  EXPECT_EQ(clock.wall(), loop.wall());
  EXPECT_EQ(clock.steady(), loop.steady());
  EXPECT_EQ(clock.cluster_time(seconds(15)), seconds(15));
}

TEST(MachineClock, its_time_of_day_jumps_and_its_steady_clock_does_not) {
  EventLoop loop;
  MachineClock clock(loop);
  clock.set(-seconds(90), 0);
  EXPECT_EQ(clock.wall(), loop.wall() - seconds(90));
  EXPECT_EQ(clock.steady(), loop.steady());
  clock.set(seconds(30), 0);
  EXPECT_EQ(clock.wall(), loop.wall() + seconds(30));
  EXPECT_EQ(clock.steady(), loop.steady());
}

TEST(MachineClock, what_its_pace_has_gained_stays_when_it_is_set_anew) {
  EventLoop loop;
  MachineClock clock(loop);
  clock.set(seconds(0), 500);
  loop.run_until(seconds(10'000));
  EXPECT_EQ(clock.steady(), loop.steady() + seconds(5));
  EXPECT_EQ(clock.wall(), loop.wall() + seconds(5));
  clock.set(seconds(0), -500);
  EXPECT_EQ(clock.steady(), loop.steady() + seconds(5));
  EXPECT_EQ(clock.wall(), loop.wall());
}

TEST(MachineClock, who_waits_so_long_on_it_has_waited_so_long_by_it) {
  for (const int pace : {-500, -1, 1, 500}) {
    EventLoop loop;
    MachineClock clock(loop);
    clock.set(seconds(0), pace);
    for (const Duration wait : {Duration{1}, Duration{1'999}, Duration{15'000}, Duration{hours(1)}}) {
      const runtime::Instant before = clock.steady();
      loop.run_until(loop.now() + clock.cluster_time(wait));
      EXPECT_GE(clock.steady() - before, wait) << pace;
      EXPECT_LT(clock.steady() - before, wait + Duration{2}) << pace;
    }
  }
}

}  // namespace
}  // namespace reprise::simulator
