#include "runtime/leader/elector.h"

#include <gtest/gtest.h>

#include "runtime/leader/lease_json.h"
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
    switch (request.method) {
      case Method::Get:
        return lease ? Response{.status = 200, .body = json()} : Response{.status = 404};
      case Method::Post:
        if (lease) return Response{.status = 409, .body = R"({"kind":"Status","reason":"AlreadyExists"})"};
        store(request.body);
        return Response{.status = 201, .body = json()};
      case Method::Patch:
        if (!lease || read_lease(request.body)->resource_version != lease->resource_version) {
          return Response{.status = 409};
        }
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
    lease->resource_version = std::to_string(++version);
  }
  [[nodiscard]] std::string json() const { return encode_lease_patch(*lease); }
  // As another process would write it.
  void hold(const std::string& holder) {
    lease = lease.value_or(LeaseRecord{});
    lease->holder = holder;
    lease->duration = seconds(15);
    lease->resource_version = std::to_string(++version);
  }

  std::optional<LeaseRecord> lease;
  int version = 0, requests = 0;
  bool down = false;
};

struct Process {
  Process(const std::string& identity, LeaseServer& server, ManualExecutor& executor, VirtualClock& clock)
      : transport(executor),
        client(make_client(transport, clock)),
        elector({.lease_namespace = "n", .lease_name = "l", .identity = identity},
                {.on_started_leading = [this] { ++started; },
                 .on_lost = [this] { ++lost; },
                 .on_overdue = [this] { ++overdue; }},
                *client, executor, clock, random, *logger) {
    transport.on_request([&server](const Request& request) { return server.answer(request); });
  }
  ScriptedTransport transport;
  std::unique_ptr<Client> client;
  SeededRandom random{3};
  std::unique_ptr<Logger> logger = make_null_logger();
  int started = 0, lost = 0, overdue = 0;
  LeaderElector elector;
};

struct ElectorTest : ::testing::Test {
  VirtualClock clock;
  ManualExecutor executor{clock};
  LeaseServer server;
  Process one{"one", server, executor, clock};
  Process two{"two", server, executor, clock};
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
  bool done = false;
  one.elector.release([&] { done = true; });
  executor.settle();
  EXPECT_TRUE(done);
  EXPECT_FALSE(one.elector.permit());
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

}  // namespace
}  // namespace reprise::runtime
