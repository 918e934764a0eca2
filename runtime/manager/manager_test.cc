// A whole manager in a world of values: one thread, virtual time.
#include "runtime/manager/manager.h"

#include <gtest/gtest.h>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::Thing;
using testing::thing_json;
using testing::VirtualClock;

struct Counting final : Reconciler {
  explicit Counting(std::vector<std::string>& keys) : seen(keys) {}
  Result<Next> reconcile(ReconcileContext&, const ObjectKey& key) override {
    seen.push_back(to_string(key));
    return Next::done();
  }
  std::vector<std::string>& seen;
};

// Each write takes so long.
struct HoldingBack final : Reconciler {
  HoldingBack(VirtualClock& its_clock, int& count) : clock(its_clock), written(count) {}
  Result<Next> reconcile(ReconcileContext&, const ObjectKey&) override { return Next::done(); }
  std::vector<ObjectKey> held_back() override { return {{"n", "a"}, {"n", "b"}, {"n", "c"}}; }
  Result<void> write_back(ReconcileContext&, const ObjectKey&) override {
    clock.advance(seconds(4));
    ++written;
    return {};
  }
  VirtualClock& clock;
  int& written;
};

ManagerOptions options() {
  ManagerOptions chosen;
  chosen.workers = WorkerMode::Executor;
  chosen.lease_namespace = "n";
  chosen.identity = "me";
  return chosen;
}

struct ManagerTest : ::testing::Test {
  ManagerTest() {
    transport.on_request([this](const Request& request) -> Result<Response> {
      if (request.method == Method::Get) return Response{.status = 404};
      lease_writes.push_back(request.body);
      return Response{.status = 200,
                      .body = R"({"metadata":{"resourceVersion":"1"},"spec":{"holderIdentity":"me",)"
                              R"("leaseDurationSeconds":15}})"};
    });
    things.on_any([this](const Thing& thing) { controller.enqueue(key_of(thing)); });
  }
  void sync() {
    auto& stream = transport.last_stream();
    stream.status(200);
    stream.line(R"({"type":"ADDED","object":)" + thing_json("a", 90) + "}");
    stream.line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"100",)"
                R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  std::vector<std::string> lease_writes;
  std::vector<std::string> reconciled;
  Manager manager{options(), {transport, executor, clock, random, *logger}};
  Informer<Thing>& things = manager.add_informer<Thing>();
  Controller& controller = manager.add_controller("c", std::make_unique<Counting>(reconciled));
};

TEST_F(ManagerTest, nothing_is_led_or_reconciled_before_all_caches_have_synced) {
  ASSERT_TRUE(manager.start());
  controller.enqueue({"n", "early"});
  executor.advance(seconds(5));
  EXPECT_FALSE(manager.readiness().run().ok);
  EXPECT_TRUE(lease_writes.empty());
  EXPECT_TRUE(reconciled.empty());
  sync();
  executor.settle();
  EXPECT_TRUE(manager.readiness().run().ok);
  EXPECT_TRUE(manager.leading());
  EXPECT_EQ(reconciled, (std::vector<std::string>{"n/early", "n/a"}));
  manager.stop();
}

TEST_F(ManagerTest, tells_once_that_its_caches_have_synced_before_anything_is_reconciled) {
  std::vector<std::size_t> reported;
  manager.on_synced([&] {
    EXPECT_TRUE(reconciled.empty());
    reported.push_back(things.store().size());
  });
  ASSERT_TRUE(manager.start());
  executor.settle();
  EXPECT_TRUE(reported.empty());
  sync();
  executor.settle();
  transport.last_stream().line(R"({"type":"ADDED","object":)" + thing_json("b", 101) + "}");
  executor.settle();
  EXPECT_EQ(reported, std::vector<std::size_t>{1});
  EXPECT_EQ(reconciled, (std::vector<std::string>{"n/a", "n/b"}));
  manager.stop();
}

// Ten seconds for all; the last write of a controller begins when half of its remaining time is over.
TEST_F(ManagerTest, the_time_for_what_is_held_back_is_measured_by_the_clock_that_is_given) {
  int first = 0, second = 0;
  manager.add_controller("first", std::make_unique<HoldingBack>(clock, first));
  manager.add_controller("second", std::make_unique<HoldingBack>(clock, second));
  ASSERT_TRUE(manager.start());
  executor.settle();
  sync();
  executor.settle();
  manager.stop();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1);
}

TEST_F(ManagerTest, stopping_gives_the_lease_back_and_ends_the_watches) {
  ASSERT_TRUE(manager.start());
  executor.settle();
  sync();
  executor.settle();
  manager.stop();
  executor.settle();
  EXPECT_FALSE(transport.last_stream().open());
  EXPECT_NE(lease_writes.back().find(R"("holderIdentity":"")"), std::string::npos);
  EXPECT_FALSE(manager.leading());
  controller.enqueue({"n", "late"});
  executor.settle();
  EXPECT_EQ(reconciled, std::vector<std::string>{"n/a"});
}

TEST_F(ManagerTest, the_loop_is_alive_while_it_runs) {
  ASSERT_TRUE(manager.start());
  executor.settle();
  EXPECT_TRUE(manager.liveness().run().ok);
  clock.advance(seconds(31));
  EXPECT_FALSE(manager.liveness().run().ok);
  executor.settle();
  EXPECT_TRUE(manager.liveness().run().ok);
}

}  // namespace
}  // namespace reprise::runtime
