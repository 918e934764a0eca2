#include "runtime/metrics/running_work.h"

#include <gtest/gtest.h>

#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::VirtualClock;

TEST(RunningWork, is_stuck_when_its_oldest_piece_runs_longer_than_it_may) {
  VirtualClock clock;
  RunningWork work(clock, seconds(120));
  EXPECT_TRUE(work.check());
  auto first = work.begin("n/first");
  clock.advance(seconds(100));
  const auto second = work.begin("n/second");
  clock.advance(seconds(20));
  EXPECT_TRUE(work.check());
  clock.advance(seconds(1));
  const auto stuck = work.check();
  ASSERT_FALSE(stuck);
  EXPECT_EQ(stuck.error().message, "n/first has been running for 121 s, at most 120 s");
  first.reset();
  EXPECT_TRUE(work.check());
}

TEST(RunningWork, tells_of_the_oldest_first_and_of_no_more_than_asked_for) {
  VirtualClock clock;
  RunningWork work(clock, seconds(1));
  const auto a = work.begin("a");
  clock.advance(seconds(1));
  const auto b = work.begin("b");
  const auto c = work.begin("c");
  const auto pieces = work.oldest(2);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].what, "a");
  EXPECT_EQ(pieces[0].age, seconds(1));
  EXPECT_EQ(pieces[1].what, "b");
  EXPECT_EQ(work.count(), 3U);
}

TEST(RunningWork, a_mark_may_outlive_it) {
  VirtualClock clock;
  auto work = std::make_unique<RunningWork>(clock, seconds(1));
  const auto mark = work->begin("a");
  work.reset();
}

}  // namespace
}  // namespace reprise::runtime
