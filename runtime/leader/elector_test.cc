#include "runtime/leader/elector.h"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/leader/internal/lease_json.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::VirtualClock;

// The one Lease of an API server, with its optimistic lock.
struct LeaseServer {
  Result<Response> answer(const Request& request) {
    ++requests;
    if (down) return fail(ErrorClass::Unavailable, "no route");
    auto response = carry_out(request);
    if (lose_answers && request.method != Method::Get) return fail(ErrorClass::Unavailable, "reset");
    return response;
  }
  Response carry_out(const Request& request) {
    switch (request.method) {
      case Method::Get:
        if (!garbage.empty()) return Response{.status = 200, .body = garbage};
        return lease ? Response{.status = 200, .body = json()} : Response{.status = 404};
      case Method::Post:
        if (lease) return Response{.status = 409, .body = R"({"kind":"Status","reason":"AlreadyExists"})"};
        store(request.body);
        return Response{.status = 201, .body = json()};
      case Method::Patch:
        if (!lease) return Response{.status = 404};
        if (read_lease(request.body)->resource_version != lease->resource_version) return Response{.status = 409};
        store(request.body);
        return Response{.status = 200, .body = json()};
      case Method::Put:
      case Method::Delete:
        break;
    }
    return Response{.status = 405};
  }
  void store(const std::string& body) {
    lease = *read_lease(body);
    touch();
  }
  // As when a person labels it.
  void touch() { lease->resource_version = std::to_string(++version); }
  [[nodiscard]] std::string json() const { return encode_lease_patch(*lease); }
  // As another process would write it.
  void hold(const std::string& holder) {
    lease = lease.value_or(LeaseRecord{});
    lease->holder = holder;
    lease->duration = seconds(15);
    touch();
  }

  std::optional<LeaseRecord> lease;
  std::string garbage;
  int version = 0, requests = 0;
  bool down = false, lose_answers = false;
};

// Another machine: its time of day and its time since boot have nothing to do with ours.
struct OtherClock final : Clock {
  OtherClock(const VirtualClock& virtual_clock, Duration offset) : clock(virtual_clock), off(offset) {}
  [[nodiscard]] WallTime wall() const override { return clock.wall() + off; }
  [[nodiscard]] Instant steady() const override { return clock.steady() + off; }
  const VirtualClock& clock;
  Duration off;
};

// Answers take their time.
struct SlowTransport final : Transport {
  SlowTransport(Transport& transport, ManualExecutor& driven) : inner(transport), executor(driven) {}
  Result<Response> send(const Request& request) override { return inner.send(request); }
  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    inner.send_async(std::move(request), [this, done = std::move(done)](const Result<Response>& response) {
      if (latency == Duration{0}) return done(response);
      timers.push_back(executor.after(latency, [done, response] { done(response); }));
    });
  }
  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return inner.open(std::move(request), sink);
  }
  Transport& inner;
  ManualExecutor& executor;
  Duration latency{0};
  std::vector<std::unique_ptr<Timer>> timers;
};

struct Process {
  Process(const std::string& identity, LeaseServer& server, ManualExecutor& executor, const VirtualClock& virtual_clock,
          Duration offset = Duration{0})
      : clock(virtual_clock, offset),
        transport(executor),
        slow(transport, executor),
        client(make_client(slow, clock)),
        elector({.lease_namespace = "n", .lease_name = "l", .identity = identity},
                {.on_started_leading = [this] { ++started; },
                 .on_lost = [this] { ++lost; },
                 .on_overdue = [this] { ++overdue; }},
                *client, executor, clock, random, *logger, metrics) {
    transport.on_request([&server](const Request& request) { return server.answer(request); });
  }
  [[nodiscard]] double slow_paths() {
    return metrics.counter("leader_election_slowpath_total", "", {{"name", "l"}}).value();
  }
  OtherClock clock;
  ScriptedTransport transport;
  SlowTransport slow;
  std::unique_ptr<Client> client;
  SeededRandom random{3};
  MetricsRegistry metrics;
  std::unique_ptr<Logger> logger = make_null_logger();
  int started = 0, lost = 0, overdue = 0;
  LeaderElector elector;
};

struct ElectorTest : ::testing::Test {
  VirtualClock clock;
  ManualExecutor executor{clock};
  LeaseServer server;
  Process one{"one", server, executor, clock};
  Process two{"two", server, executor, clock, std::chrono::hours(24 * 365)};

  void lead() {
    one.elector.start();
    executor.settle();
    ASSERT_EQ(one.started, 1);
  }
  bool give_back(Process& process, Duration within = Duration{0}) {
    bool done = false;
    process.elector.release([&] { done = true; });
    executor.advance(within);
    return done;
  }
  // Both processes run for so long; never may both have a permit.
  void watch(Duration time) {
    for (Duration passed{0}; passed < time; passed += Duration{50}) {
      executor.advance(Duration{50});
      ASSERT_FALSE(one.elector.permit() && two.elector.permit()) << passed.count();
    }
  }
};

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

TEST_F(ElectorTest, a_lease_labelled_by_a_person_is_renewed_all_the_same_at_the_price_of_one_read) {
  lead();
  const int before = server.requests;
  server.touch();
  executor.advance(seconds(2));
  EXPECT_EQ(server.requests - before, 3);  // the refused renewal, the read, the renewal
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

TEST_F(ElectorTest, permits_end_earlier_where_the_server_is_slow) {
  one.slow.latency = seconds(3);
  one.elector.start();
  executor.advance(seconds(6));  // the read, the write
  ASSERT_EQ(one.started, 1);
  // Sent 3 s ago: 15 - 3 of them are promised, 3 more are left for what is under way.
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
                       .lease_duration = seconds(3),
                       .renew_deadline = Duration{1'500},
                       .retry_period = Duration{500}},
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
