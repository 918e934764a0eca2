#include "runtime/manager/controller.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/manager/controller_world_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Thing;

TEST_F(ControllerTest, what_is_underway_goes_before_what_came_earlier) {
  std::vector<std::string> seen;
  reconciler.run = [&](ReconcileContext&, const ObjectKey& which) -> Result<Next> {
    seen.push_back(which.name);
    Next next = Next::done();
    next.underway = which.name == "begun" && seen.size() == 1;
    return next;
  };
  controller.enqueue({"n", "begun"});
  executor.settle();
  controller.enqueue({"n", "other"});
  controller.enqueue({"n", "begun"});
  executor.settle();
  EXPECT_EQ(seen, (std::vector<std::string>{"begun", "begun", "other"}));
}

TEST_F(ControllerTest, a_key_is_reconciled_and_then_left_alone) {
  enqueue();
  executor.advance(minutes(10));
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_EQ(count_result("success"), 1);
}

TEST_F(ControllerTest, next_in_comes_back_after_that_time) {
  reconciler.run = [](ReconcileContext&, const ObjectKey&) { return Next::in(seconds(30)); };
  enqueue();
  executor.advance(seconds(29));
  EXPECT_EQ(reconciler.calls, 1);
  executor.advance(seconds(1));
  EXPECT_EQ(reconciler.calls, 2);
  EXPECT_EQ(count_result("requeue_after"), 2);
}

TEST_F(ControllerTest, an_unavailable_server_is_met_with_backoff) {
  fails_with(ErrorClass::Unavailable);
  enqueue();
  executor.advance(seconds(10));
  EXPECT_GE(reconciler.calls, 10);
  EXPECT_LE(reconciler.calls, 13);
  EXPECT_EQ(count("controller_runtime_reconcile_errors_total"), reconciler.calls);
}

TEST_F(ControllerTest, the_servers_retry_after_is_honoured) {
  fails_with(ErrorClass::Throttled, seconds(20));
  enqueue();
  executor.advance(seconds(19));
  EXPECT_EQ(reconciler.calls, 1);
  executor.advance(seconds(1));
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(ControllerTest, no_retry_after_keeps_a_key_for_longer_than_the_longest_backoff) {
  for (const Duration retry_after : {Duration(minutes(60)), Duration::max()}) {
    fails_with(ErrorClass::Unavailable, retry_after);
    const int before = reconciler.calls;
    enqueue();
    executor.advance(ControllerOptions{}.backoff.cap - seconds(1));
    EXPECT_EQ(reconciler.calls, before + 1);
    reconciler.run = nullptr;
    executor.advance(seconds(1));
    EXPECT_EQ(reconciler.calls, before + 2);
  }
}

TEST_F(ControllerTest, a_terminal_error_waits_for_a_change) {
  fails_with(ErrorClass::Terminal);
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_EQ(count("controller_runtime_terminal_reconcile_errors_total"), 1);
}

TEST_F(ControllerTest, what_was_rejected_is_tried_again_with_backoff) {
  fails_with(ErrorClass::Invalid);
  enqueue();
  executor.advance(ControllerOptions{}.backoff.cap);
  EXPECT_GT(reconciler.calls, 10);
  const int before = reconciler.calls;
  executor.advance(minutes(60));
  EXPECT_LE(reconciler.calls, before + 12) << "at most once in the longest backoff";
  EXPECT_GE(reconciler.calls, before + 11);
}

TEST_F(ControllerTest, what_is_due_is_due_although_the_reconcile_failed) {
  for (const ErrorClass error : {ErrorClass::Terminal, ErrorClass::Invalid, ErrorClass::Unavailable}) {
    const WallTime due = clock.wall() + minutes(61);
    std::optional<WallTime> looked;
    reconciler.run = [&](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
      if (context.clock().wall() >= due && !looked) looked = context.clock().wall();
      return Next::failed(Error{error, "no", {}}, due, context.clock());
    };
    enqueue();
    executor.advance(minutes(61));
    EXPECT_EQ(looked, due);
  }
}

TEST_F(ControllerTest, what_failed_and_was_due_already_waits_for_its_backoff) {
  for (const ErrorClass error : {ErrorClass::Conflict, ErrorClass::Unavailable}) {
    reconciler.run = [error](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
      return Next::failed(Error{error, "no", {}}, context.clock().wall(), context.clock());
    };
    const int before = reconciler.calls;
    enqueue();
    executor.advance(seconds(10));
    EXPECT_GT(reconciler.calls, before + 5);
    EXPECT_LT(reconciler.calls, before + 20);
    reconciler.run = nullptr;  // a success ends the row of failures
    enqueue();
  }
}

TEST_F(ControllerTest, a_conflict_is_no_error_and_comes_back_soon) {
  fails_with(ErrorClass::Conflict);
  enqueue();
  executor.advance(milliseconds(5));
  EXPECT_EQ(reconciler.calls, 2);
  EXPECT_EQ(count("controller_runtime_reconcile_errors_total"), 0);
}

TEST_F(ControllerTest, an_exception_is_an_error_of_that_key_and_is_counted) {
  reconciler.run = [](ReconcileContext&, const ObjectKey&) -> Result<Next> { throw std::runtime_error("boom"); };
  enqueue();
  EXPECT_EQ(count("controller_runtime_reconcile_panics_total"), 1);
  reconciler.run = nullptr;
  executor.advance(seconds(1));
  EXPECT_EQ(count_result("success"), 1);
}

TEST_F(ControllerTest, removing_what_is_gone_is_success) {
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 404}; });
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    EXPECT_TRUE(context.remove(*kube::KindOf<Thing>::decode(testing::thing_json("child", 90))));
    EXPECT_FALSE(context.read_live<Thing>("n", "child")->has_value());
    return Next::done();
  };
  enqueue();
  EXPECT_EQ(count_result("success"), 1);
}

TEST_F(ControllerTest, without_a_permit_nothing_is_written_and_nothing_retried) {
  accept_writes();
  permits.set(std::nullopt);
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    auto made = context.create<Thing>("n", "{}");
    if (!made) return std::unexpected(made.error());
    return Next::done();
  };
  enqueue();
  executor.advance(minutes(10));
  EXPECT_TRUE(transport.requests().empty());
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_EQ(count("controller_runtime_reconcile_fenced_total"), 1);
}

TEST_F(ControllerTest, a_permit_that_ended_while_the_process_still_leads_brings_the_key_back) {
  accept_writes();
  permits.set(clock.steady() + seconds(14));
  reconciler.run = [this](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    const auto permit = context.permit();
    if (!permit) return std::unexpected(permit.error());
    if (reconciler.calls == 1) {
      clock.advance(seconds(20));  // the API server was slow to answer a read; the lease was renewed meanwhile
      permits.set(clock.steady() + seconds(14));
    }
    auto made = context.client().create(*permit, kube::KindOf<Thing>::info(), "n", "{}");
    if (!made) return std::unexpected(std::move(made).error());
    return Next::done();
  };
  enqueue();
  EXPECT_TRUE(transport.requests().empty());
  executor.advance(seconds(1));
  EXPECT_EQ(transport.requests().size(), 1U);
  EXPECT_EQ(count_result("success"), 1);
  EXPECT_EQ(count("controller_runtime_reconcile_fenced_total"), 1);
}

TEST_F(ControllerTest, no_request_begins_after_the_time_for_a_reconcile) {
  accept_writes();
  reconciler.run = [this](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    clock.advance(minutes(3));
    EXPECT_FALSE(context.create<Thing>("n", "{}"));
    return Next::done();
  };
  enqueue();
  EXPECT_TRUE(transport.requests().empty());
  EXPECT_EQ(count("controller_runtime_reconcile_timeouts_total"), 1);
}

TEST_F(ControllerTest, a_request_may_not_last_longer_than_what_is_left_of_the_reconcile) {
  accept_writes();
  reconciler.run = [this](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    clock.advance(seconds(110));
    EXPECT_EQ(context.deadline() - clock.steady(), seconds(10));
    EXPECT_TRUE(context.create<Thing>("n", "{}"));
    (void)context.read_live<Thing>("n", "child");
    EXPECT_TRUE(context.client().list(kube::KindOf<Thing>::info(), "n", {}));
    return Next::done();
  };
  enqueue();
  ASSERT_EQ(transport.requests().size(), 3U);
  for (const Request& request : transport.requests()) EXPECT_EQ(request.timeout, seconds(10)) << request.path_and_query;
}

TEST_F(ControllerTest, a_reconcile_that_uses_up_its_time_is_counted_and_comes_back) {
  transport.on_request([this](const Request& request) -> Result<Response> {
    clock.advance(request.timeout);  // the server never answers
    return fail(ErrorClass::Unavailable, "timed out");
  });
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    while (true) {
      auto live = context.read_live<Thing>("n", "child");
      if (!live) {
        if (context.clock().steady() >= context.deadline()) return std::unexpected(std::move(live).error());
      }
    }
  };
  enqueue();
  EXPECT_EQ(count("controller_runtime_reconcile_timeouts_total"), 1);
  reconciler.run = nullptr;
  executor.advance(seconds(1));
  EXPECT_EQ(count_result("success"), 1);
}

}  // namespace
}  // namespace reprise::runtime
