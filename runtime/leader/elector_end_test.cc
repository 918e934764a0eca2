// How a leadership ends: slept through, lost, given back.
#include "runtime/leader/internal/elector_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ElectorTest;

TEST_F(ElectorTest, a_process_that_slept_sends_no_lease_it_meant_to_write_before) {
  lead();
  executor.advance(Duration{1'999});
  clock.advance(seconds(20));
  const std::size_t before = one.transport.requests().size();
  executor.settle();
  EXPECT_EQ(one.transport.requests().size(), before);
  EXPECT_EQ(one.overdue, 1);
  EXPECT_EQ(one.elector.snapshot().phase, ElectorPhase::Overdue);
}

TEST_F(ElectorTest, the_deadline_stands_while_a_lost_leader_drains_and_goes_when_it_gives_back) {
  lead();
  const auto deadline = one.elector.deadline().get();
  ASSERT_TRUE(deadline);
  EXPECT_EQ(*deadline, one.clock.steady() + seconds(15) - Duration{500});
  server.down = true;
  executor.advance(seconds(11));
  EXPECT_EQ(one.lost, 1);
  EXPECT_EQ(one.elector.deadline().get(), deadline);
  server.down = false;
  EXPECT_TRUE(give_back(one));
  EXPECT_EQ(server.lease->holder, "");
  EXPECT_FALSE(one.elector.deadline().get());
  executor.advance(seconds(60));
  EXPECT_EQ(one.overdue, 0);
}

TEST_F(ElectorTest, giving_back_waits_for_the_renewal_under_way) {
  lead();
  one.slow.latency = seconds(1);
  executor.advance(Duration{2'100});  // a renewal has left
  EXPECT_TRUE(give_back(one, seconds(3)));
  EXPECT_EQ(server.lease->holder, "");
}

TEST_F(ElectorTest, giving_back_after_a_lost_answer_looks_first) {
  lead();
  server.lose_answers = true;
  executor.advance(Duration{2'100});
  server.lose_answers = false;
  EXPECT_TRUE(give_back(one));
  EXPECT_EQ(server.lease->holder, "");
}

TEST_F(ElectorTest, what_is_not_held_is_not_given_back) {
  lead();
  two.elector.start();
  executor.advance(seconds(1));
  EXPECT_TRUE(give_back(two));
  EXPECT_EQ(server.lease->holder, "one");
  server.hold("elsewhere");
  executor.advance(seconds(3));
  EXPECT_EQ(one.lost, 1);
  EXPECT_TRUE(give_back(one));
  EXPECT_EQ(server.lease->holder, "elsewhere");
}

TEST_F(ElectorTest, a_lease_taken_while_stopping_is_given_back) {
  one.slow.latency = seconds(1);
  one.elector.start();
  executor.advance(Duration{1'500});  // the write has left and its answer has not come
  EXPECT_EQ(server.lease->holder, "one");
  EXPECT_TRUE(give_back(one, seconds(3)));
  EXPECT_EQ(one.started, 0);
  EXPECT_EQ(server.lease->holder, "");
}

TEST_F(ElectorTest, is_healthy_until_it_outlives_its_lease) {
  EXPECT_TRUE(one.elector.healthy());
  lead();
  executor.advance(seconds(60));
  EXPECT_TRUE(one.elector.healthy());
  clock.advance(seconds(15));
  const auto health = one.elector.healthy();
  ASSERT_FALSE(health);
  EXPECT_NE(health.error().message.find("without having been renewed"), std::string::npos);
}

}  // namespace
}  // namespace reprise::runtime
