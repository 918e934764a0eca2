// Changes of the Lease while somebody leads.
#include <limits>

#include "runtime/leader/internal/elector_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ElectorTest;

TEST_F(ElectorTest, whatever_is_asked_of_the_lease_is_urgent) {
  lead();
  executor.advance(seconds(30));
  ASSERT_TRUE(give_back(one));
  ASSERT_GT(one.transport.requests().size(), 10U);
  for (const Request& request : one.transport.requests()) EXPECT_TRUE(request.urgent) << request.body;
}

TEST_F(ElectorTest, a_lease_labelled_by_a_person_is_renewed_all_the_same_at_the_price_of_one_read) {
  lead();
  const int before = server.requests;
  server.touch();
  executor.advance(seconds(2));
  EXPECT_EQ(server.requests - before, 3);  // the rejected renewal, the read, the renewal
  EXPECT_EQ(one.slow_paths(), 1);
  EXPECT_EQ(one.elector.permit()->valid_until(), clock.steady() + seconds(15) - Duration{500});
  EXPECT_EQ(server.lease->transitions, 0);
}

TEST_F(ElectorTest, renewals_whose_answers_are_lost_end_the_leadership_in_time_and_one_of_them_costs_nothing) {
  lead();
  server.lose_answers = true;
  executor.advance(seconds(3));
  const auto until = one.elector.permit()->valid_until();
  EXPECT_LT(until, clock.steady() + seconds(13));  // reading our name does not lengthen a permit
  server.lose_answers = false;
  executor.advance(seconds(3));
  EXPECT_GT(one.elector.permit()->valid_until(), until);
  EXPECT_EQ(one.lost, 0);
  server.lose_answers = true;
  executor.advance(seconds(12));
  EXPECT_EQ(one.lost, 1);
}

TEST_F(ElectorTest, a_deleted_lease_is_made_again_by_its_holder_and_not_by_a_standby_that_knew_it) {
  lead();
  two.elector.start();
  executor.advance(seconds(4));
  for (int i = 0; i < 10; ++i) {
    server.lease.reset();
    watch(seconds(3));
    EXPECT_EQ(server.lease->holder, "one");
  }
  EXPECT_EQ(two.started, 0);
  EXPECT_EQ(one.lost, 0);
}

TEST_F(ElectorTest, a_deleted_lease_whose_holder_died_is_taken_when_the_holders_time_is_over) {
  server.hold("elsewhere");
  two.elector.start();
  executor.settle();
  server.lease.reset();
  executor.advance(seconds(14));
  EXPECT_EQ(two.started, 0);
  executor.advance(seconds(6));
  EXPECT_EQ(two.started, 1);
}

TEST_F(ElectorTest, a_holder_taken_out_by_a_person_stays_the_leader) {
  lead();
  two.elector.start();
  executor.advance(seconds(4));
  server.hold("");
  watch(seconds(30));
  EXPECT_EQ(one.lost, 0);
  EXPECT_EQ(two.started, 0);
  EXPECT_EQ(server.lease->holder, "one");
}

TEST_F(ElectorTest, a_lease_with_garbage_in_it_is_healed_by_who_takes_it) {
  LeaseRecord garbage;
  garbage.holder = "\x01\xff nobody";
  garbage.duration = Duration{-1};
  garbage.transitions = std::numeric_limits<std::int32_t>::max();
  server.lease = garbage;
  server.touch();
  one.elector.start();
  executor.advance(seconds(20));
  EXPECT_EQ(one.started, 1);
  EXPECT_EQ(server.lease->duration, seconds(15));
  EXPECT_EQ(server.lease->transitions, 1);
}

TEST_F(ElectorTest, an_answer_that_is_no_lease_makes_nobody_a_leader) {
  for (const char* text : {"[]", "\"x\"", "{", "<html>", "null"}) {
    server.garbage = text;
    one.elector.start();
    executor.advance(seconds(30));
    EXPECT_EQ(one.started, 0) << text;
    EXPECT_EQ(one.elector.permit().error().error_class, ErrorClass::NoPermit);
  }
  server.garbage.clear();
  executor.advance(seconds(5));
  EXPECT_EQ(one.started, 1);
}

}  // namespace
}  // namespace reprise::runtime
