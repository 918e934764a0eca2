#include "rehearsal/processes/real_time.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using simulator::EventLoop;
using std::chrono::milliseconds;

// A clock that moves when it is looked at: nothing waits in these tests.
class SteppingClock final : public runtime::Clock {
 public:
  [[nodiscard]] runtime::WallTime wall() const override { return runtime::WallTime{} + now_; }
  [[nodiscard]] runtime::Instant steady() const override { return runtime::Instant{} + (now_ += milliseconds(step)); }
  int step = 0;

 private:
  mutable milliseconds now_{1'000};
};

TEST(RealTime, work_is_due_when_the_scaled_clock_says_so) {
  EventLoop loop;
  SteppingClock clock;
  RealTime time(loop, clock, 10);
  int done = 0;
  loop.after(milliseconds(50), [&] { ++done; });
  time.turn(milliseconds(0));
  EXPECT_EQ(done, 0);
  clock.step = 3;  // two looks, 30 ms of the cluster each
  time.turn(milliseconds(0));
  EXPECT_EQ(done, 1);
}

TEST(RealTime, late_work_runs_in_order_at_its_own_time) {
  EventLoop loop;
  SteppingClock clock;
  RealTime time(loop, clock, 1);
  std::vector<Duration> seen;
  for (const int at : {30, 10, 20}) loop.after(milliseconds(at), [&] { seen.push_back(loop.now()); });
  clock.step = 100;
  time.turn(milliseconds(0));
  EXPECT_EQ(seen, (std::vector<Duration>{milliseconds(10), milliseconds(20), milliseconds(30)}));
}

TEST(RealTime, a_turn_ends_although_more_work_becomes_due_than_is_done) {
  EventLoop loop;
  SteppingClock clock;
  RealTime time(loop, clock, 1'000);
  int done = 0;
  std::function<void()> work = [&] {
    if (++done < 100'000) loop.after(milliseconds(1), work);
  };
  loop.after(milliseconds(1), work);
  clock.step = 20;  // a piece of work costs 20 s of the cluster's time and is due again after a millisecond
  time.turn(milliseconds(0));
  EXPECT_GT(done, 0);
  EXPECT_LT(done, 1'000);
}

TEST(RealTime, a_readable_descriptor_wakes_once) {
  EventLoop loop;
  const runtime::SystemClock clock;
  RealTime time(loop, clock, 1);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int woken = 0;
  time.watch(ends[0], [&] { ++woken; });
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  time.turn(milliseconds(40'000));
  EXPECT_EQ(woken, 1);
  time.turn(milliseconds(0));
  EXPECT_EQ(woken, 1);
  time.watch(ends[0], [&] { ++woken; });
  time.forget(ends[0]);
  time.turn(milliseconds(0));
  EXPECT_EQ(woken, 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(RealTime, tells_the_clusters_time_of_a_moment) {
  EventLoop loop;
  SteppingClock clock;
  const RealTime time(loop, clock, 60);
  EXPECT_EQ(time.cluster_time(clock.wall() + milliseconds(500)), Duration(milliseconds(30'000)));
  EXPECT_EQ(time.to_real(milliseconds(120'000)), Duration(milliseconds(2'000)));
}

TEST(RealTime, goes_at_another_pace_for_a_while_and_what_was_before_stays_where_it_was) {
  EventLoop loop;
  SteppingClock clock;
  RealTime time(loop, clock, 20);
  const runtime::WallTime begin = clock.wall();
  clock.step = 1'000;
  time.set_pace(1);  // a look: after one second
  clock.step = 0;
  EXPECT_EQ(time.now(), Duration(milliseconds(20'000)));
  clock.step = 3'000;
  EXPECT_EQ(time.now(), Duration(milliseconds(23'000)));
  clock.step = 0;
  time.set_pace(20);
  EXPECT_EQ(time.cluster_time(begin + milliseconds(500)), Duration(milliseconds(10'000)));
  EXPECT_EQ(time.cluster_time(begin + milliseconds(2'000)), Duration(milliseconds(21'000)));
  EXPECT_EQ(time.cluster_time(begin + milliseconds(5'000)), Duration(milliseconds(43'000)));
}

}  // namespace
}  // namespace reprise::rehearsal
