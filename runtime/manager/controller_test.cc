#include "runtime/manager/controller.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/cache/store.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/permits.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::TestPermits;
using testing::Thing;
using testing::VirtualClock;

struct FunctionReconciler final : Reconciler {
  Result<Next> reconcile(ReconcileContext& context, const ObjectKey& key) override {
    ++calls;
    return run ? run(context, key) : Next::done();
  }
  std::function<Result<Next>(ReconcileContext&, const ObjectKey&)> run;
  int calls = 0;
};

struct NullEvents final : EventRecorder {
  void record(const api::KindInfo&, const api::ObjectMeta&, EventType, std::string, std::string, std::string) override {
  }
};

struct ControllerTest : ::testing::Test {
  ControllerTest() {
    floors.add_store(api::KindOf<Thing>::info(), store);
    store.begin_list("");
    (void)store.replace("", {}, "100");
    controller.start_on_executor();
    executor.settle();
  }
  ~ControllerTest() override { controller.stop(); }
  void enqueue() {
    controller.enqueue(key);
    executor.settle();
  }
  double count(const std::string& name, Labels labels = {{"controller", "c"}}) {
    return metrics.counter(name, "", labels).value();
  }
  double count_result(const std::string& result) {
    return count("controller_runtime_reconcile_total", {{"controller", "c"}, {"result", result}});
  }
  void fails_with(ErrorClass error_class, std::optional<Duration> retry_after = {}) {
    reconciler.run = [=](ReconcileContext&, const ObjectKey&) -> Result<Next> {
      return std::unexpected(Error{error_class, "no", retry_after});
    };
  }
  // The server's answer to a write: version 105.
  void accept_writes() {
    transport.on_request([](const Request&) -> Result<Response> {
      return Response{.status = 200, .body = testing::thing_json("child", 105)};
    });
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  MetricsRegistry metrics;
  TestPermits permits;
  Floors floors;
  NullEvents events;
  Store<Thing> store;
  std::unique_ptr<Logger> logger = make_null_logger();
  std::unique_ptr<Client> client = make_client(transport, clock);
  FunctionReconciler reconciler;
  Controller controller{"c",
                        reconciler,
                        {*client, permits, floors, events, executor, clock, random, *logger, metrics},
                        ControllerOptions{}};
  const ObjectKey key{"n", "job"};
};

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

TEST_F(ControllerTest, a_terminal_error_waits_for_a_change) {
  fails_with(ErrorClass::Terminal);
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_EQ(count("controller_runtime_terminal_reconcile_errors_total"), 1);
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

TEST_F(ControllerTest, after_a_write_the_key_waits_until_the_cache_shows_it) {
  accept_writes();
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    EXPECT_TRUE(context.create<Thing>("n", "{}"));
    return Next::done();
  };
  enqueue();
  reconciler.run = nullptr;
  enqueue();
  executor.advance(minutes(60));
  EXPECT_EQ(reconciler.calls, 1);
  EXPECT_EQ(count("stale_sync_skips_total"), 1);
  store.advance("", "105");
  floors.advanced();
  executor.settle();
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(ControllerTest, after_a_removal_the_key_waits_until_the_cache_shows_it) {
  accept_writes();
  const auto child = std::make_shared<const Thing>(*api::KindOf<Thing>::decode(testing::thing_json("child", 90)));
  (void)store.upsert("", child);
  reconciler.run = [&](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    context.set_owner("job-uid");
    EXPECT_TRUE(context.remove(*child));
    return Next::done();
  };
  enqueue();
  EXPECT_NE(transport.requests().back().body.find(R"("preconditions":{"resourceVersion":"90","uid":"u-child"})"),
            std::string::npos);
  reconciler.run = nullptr;
  enqueue();
  EXPECT_EQ(reconciler.calls, 1);
  (void)store.erase("", key_of(*child), "106");
  floors.advanced();
  executor.settle();
  EXPECT_EQ(reconciler.calls, 2);
}

TEST_F(ControllerTest, removing_what_is_gone_is_success) {
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 404}; });
  reconciler.run = [](ReconcileContext& context, const ObjectKey&) -> Result<Next> {
    EXPECT_TRUE(context.remove(*api::KindOf<Thing>::decode(testing::thing_json("child", 90))));
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

}  // namespace
}  // namespace reprise::runtime
