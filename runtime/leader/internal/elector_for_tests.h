// For the tests of the elector: a Lease on a server of values, and processes with clocks of their own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/leader/elector.h"
#include "runtime/leader/internal/lease_json.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime::testing {

using std::chrono::seconds;

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
  // Changes the lease as a person does who labels it.
  void touch() { lease->resource_version = std::to_string(++version); }
  [[nodiscard]] std::string json() const { return encode_lease_patch(*lease); }
  // Holds the lease as another process would write it.
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

}  // namespace reprise::runtime::testing
