// The choice of the leader, and how long its permits last.
#include "runtime/leader/internal/elector_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ElectorTest;
using testing::Process;
using testing::ScriptedTransport;

TEST_F(ElectorTest, the_first_process_makes_the_lease_and_leads) {
  EXPECT_EQ(one.elector.permit().error().error_class, ErrorClass::NoPermit);
  one.elector.start();
  executor.settle();
  EXPECT_EQ(one.started, 1);
  EXPECT_EQ(server.lease->holder, "one");
  EXPECT_EQ(one.elector.permit()->valid_until(), clock.steady() + seconds(15) - Duration{500});
}

TEST_F(ElectorTest, at_no_time_do_two_processes_hold_a_permit) {
  one.elector.start();
  executor.settle();
  two.elector.start();
  for (int i = 0; i < 3000; ++i) {
    executor.advance(Duration{50});
    // The leader is cut off for a while now and then; the other may take over only after its permits ended.
    server.down = i % 1000 > 600;
    EXPECT_FALSE(one.elector.permit() && two.elector.permit()) << i;
  }
}

TEST_F(ElectorTest, permits_are_renewed_while_leading) {
  one.elector.start();
  executor.advance(seconds(600));
  EXPECT_TRUE(one.elector.permit());
  EXPECT_EQ(one.started, 1);
  EXPECT_EQ(one.lost, 0);
  EXPECT_EQ(server.lease->transitions, 0);
}

TEST_F(ElectorTest, a_follower_waits_a_whole_lease_by_its_own_clock_whatever_the_lease_says) {
  server.hold("elsewhere");
  server.lease->renewed = WallTime{};  // long ago by the wall clock
  one.elector.start();
  executor.advance(seconds(14));
  EXPECT_EQ(one.started, 0);
  executor.advance(seconds(6));
  EXPECT_EQ(one.started, 1);
  EXPECT_EQ(server.lease->transitions, 1);
}

TEST_F(ElectorTest, a_follower_does_not_take_a_lease_that_is_renewed) {
  one.elector.start();
  for (int i = 0; i < 60; ++i) {
    server.hold("elsewhere");
    executor.advance(seconds(2));
  }
  EXPECT_EQ(one.started, 0);
}

TEST_F(ElectorTest, a_leader_that_cannot_renew_gives_up_after_10_s_and_before_its_lease_ends) {
  one.elector.start();
  executor.settle();
  const Instant renewed = clock.steady();
  server.down = true;
  while (one.lost == 0) executor.advance(Duration{100});
  EXPECT_GE(clock.steady() - renewed, seconds(10));
  EXPECT_LT(clock.steady() - renewed, seconds(15));
  EXPECT_FALSE(one.elector.permit());
  EXPECT_EQ(one.overdue, 0);
  executor.advance(seconds(5));
  EXPECT_EQ(one.overdue, 1);
}

TEST_F(ElectorTest, a_process_that_slept_through_its_lease_has_no_permit_when_it_wakes) {
  one.elector.start();
  executor.settle();
  clock.advance(seconds(20));
  EXPECT_FALSE(one.elector.permit());
  executor.settle();
  EXPECT_EQ(one.overdue, 1);
}

TEST_F(ElectorTest, a_leader_that_finds_another_holder_is_lost) {
  one.elector.start();
  executor.settle();
  server.hold("elsewhere");
  executor.advance(seconds(5));
  EXPECT_EQ(one.lost, 1);
  EXPECT_FALSE(one.elector.permit());
}

TEST_F(ElectorTest, a_released_lease_is_taken_over_within_one_retry) {
  one.elector.start();
  executor.settle();
  two.elector.start();
  executor.advance(seconds(1));
  EXPECT_TRUE(give_back(one));
  EXPECT_FALSE(one.elector.permit());
  EXPECT_FALSE(one.elector.deadline().get());
  EXPECT_EQ(server.lease->holder, "");
  executor.advance(seconds(5));
  EXPECT_EQ(two.started, 1);
  executor.advance(seconds(60));
  EXPECT_EQ(one.lost + one.overdue, 0);
}

TEST_F(ElectorTest, a_blip_shorter_than_the_deadline_costs_nothing) {
  one.elector.start();
  executor.settle();
  for (int i = 0; i < 5; ++i) {
    server.down = true;
    executor.advance(seconds(6));
    server.down = false;
    executor.advance(seconds(6));
  }
  EXPECT_EQ(one.lost, 0);
  EXPECT_TRUE(one.elector.permit());
}

TEST_F(ElectorTest, a_standby_leads_within_15_s_and_a_retry_when_the_leader_dies) {
  lead();
  two.elector.start();
  executor.advance(seconds(30));
  // The leader is gone: it answers nothing and writes nothing.
  one.transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "dead"); });
  const Instant died = clock.steady();
  while (two.started == 0 && clock.steady() - died < seconds(60)) watch(Duration{100});
  EXPECT_GE(clock.steady() - died, seconds(12));
  EXPECT_LE(clock.steady() - died, seconds(20));
}

TEST_F(ElectorTest, permits_end_earlier_where_the_server_is_slow) {
  one.slow.latency = seconds(3);
  one.elector.start();
  executor.advance(seconds(6));  // the read, the write
  ASSERT_EQ(one.started, 1);
  // Sent 3 s ago: 15 - 3 of them are promised, 3 more are left for writes under way.
  EXPECT_EQ(one.elector.permit()->valid_until(), clock.steady() + seconds(15 - 3 - 3));
}

TEST_F(ElectorTest, a_renewal_may_take_half_the_deadline_and_never_longer_than_what_is_left_of_it) {
  lead();
  EXPECT_EQ(one.transport.requests().back().timeout, seconds(5));
  server.down = true;
  executor.advance(seconds(9));
  EXPECT_LE(one.transport.requests().back().timeout, seconds(4));
  ScriptedTransport transport(executor);
  const auto client = make_client(transport, clock);
  LeaderElector brisk({.lease_namespace = "n",
                       .lease_name = "l",
                       .identity = "i",
                       .timing = {seconds(3), Duration{1'500}, Duration{500}}},
                      {}, *client, executor, clock, one.random, *one.logger, one.metrics);
  brisk.start();
  executor.settle();
  EXPECT_EQ(transport.requests().back().timeout, seconds(1));
}

TEST_F(ElectorTest, standbys_try_again_after_one_to_two_and_a_fifth_retry_periods) {
  server.hold("elsewhere");
  one.elector.start();
  executor.settle();
  Duration shortest = seconds(60), longest{0};
  for (int i = 0; i < 200; ++i) {
    const int before = server.requests;
    const Instant begun = clock.steady();
    server.hold("elsewhere");
    while (server.requests == before) executor.advance(Duration{10});
    const auto waited = std::chrono::duration_cast<Duration>(clock.steady() - begun);
    shortest = std::min(shortest, waited);
    longest = std::max(longest, waited);
  }
  EXPECT_GE(shortest, seconds(2));
  EXPECT_LT(shortest, Duration{2'200});
  EXPECT_LE(longest, Duration{4'410});
  EXPECT_GT(longest, Duration{4'000});
}

TEST_F(ElectorTest, a_look_takes_nothing_and_tells_in_the_end_whether_anybody_led_in_between) {
  struct Case {
    const char* what;
    bool held_at_first, changes_hands, alone;
  };
  for (const Case& each : {Case{"free all the time", false, false, true}, Case{"held at first", true, false, false},
                           Case{"changed hands", false, true, false}}) {
    server.lease.reset();
    if (each.held_at_first) server.hold("other");
    Process process("p", server, executor, clock);
    bool looked = false;
    process.elector.look([&looked] { looked = true; });
    executor.settle();
    EXPECT_TRUE(looked) << each.what;
    EXPECT_FALSE(process.elector.is_leader()) << each.what;
    EXPECT_FALSE(process.elector.permit()) << each.what;
    if (each.changes_hands) server.hold("other");
    process.elector.start();
    executor.advance(seconds(30));
    EXPECT_TRUE(process.elector.is_leader()) << each.what;
    EXPECT_EQ(process.elector.alone_since_look(), each.alone) << each.what;
  }
}

TEST_F(ElectorTest, a_look_that_nobody_answers_ends_and_proves_nothing) {
  server.down = true;
  Process process("p", server, executor, clock);
  bool looked = false;
  process.elector.look([&looked] { looked = true; });
  executor.settle();
  EXPECT_TRUE(looked);
  server.down = false;
  process.elector.start();
  executor.settle();
  EXPECT_TRUE(process.elector.is_leader());
  EXPECT_FALSE(process.elector.alone_since_look());
}

}  // namespace
}  // namespace reprise::runtime
