#include "runtime/leader/lease_guard.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::VirtualClock;

TEST(LeaseGuard, looks_again_when_the_deadline_comes_and_at_least_every_second) {
  VirtualClock clock;
  LeaseDeadline deadline;
  EXPECT_EQ(next_look(deadline, clock.steady()), seconds(1));
  deadline.set(clock.steady() + seconds(15));
  EXPECT_EQ(next_look(deadline, clock.steady()), seconds(1));
  deadline.set(clock.steady() + Duration{300});
  EXPECT_EQ(next_look(deadline, clock.steady()), Duration{300});
  clock.advance(seconds(9));
  EXPECT_EQ(next_look(deadline, clock.steady()), Duration{0});
}

TEST(LeaseGuard, a_deadline_counts_until_it_is_cleared) {
  VirtualClock clock;
  LeaseDeadline deadline;
  EXPECT_FALSE(deadline.passed(clock.steady()));
  deadline.set(clock.steady() + seconds(1));
  EXPECT_FALSE(deadline.passed(clock.steady()));
  clock.advance(seconds(1));
  EXPECT_TRUE(deadline.passed(clock.steady()));
  deadline.clear();
  EXPECT_FALSE(deadline.passed(clock.steady()));
}

TEST(LeaseGuard, acts_on_a_thread_of_its_own_while_the_loop_is_stuck) {
  VirtualClock clock;
  LeaseDeadline deadline;
  deadline.set(clock.steady() + seconds(15));
  std::promise<std::thread::id> acted;
  const LeaseGuard guard(deadline, clock, [&acted] { acted.set_value(std::this_thread::get_id()); });
  clock.advance(seconds(15));  // and this thread, which plays the loop, does nothing but wait
  EXPECT_NE(acted.get_future().get(), std::this_thread::get_id());
}

TEST(LeaseGuard, ends_without_acting_while_no_deadline_has_passed) {
  VirtualClock clock;
  LeaseDeadline deadline;
  bool acted = false;
  {
    const LeaseGuard idle(deadline, clock, [&acted] { acted = true; });
    deadline.set(clock.steady() + seconds(15));
    const LeaseGuard waiting(deadline, clock, [&acted] { acted = true; });
  }
  EXPECT_FALSE(acted);
}

}  // namespace
}  // namespace reprise::runtime
