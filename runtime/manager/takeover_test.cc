// A replica becomes leader: does it wait for its caches? One thread, virtual time.
#include <gtest/gtest.h>

#include "runtime/manager/manager.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::Thing;
using testing::thing_json;
using testing::VirtualClock;

struct Noting final : Reconciler {
  explicit Noting(std::vector<std::string>& keys) : seen(keys) {}
  Result<Next> reconcile(ReconcileContext&, const ObjectKey& key) override {
    seen.push_back(key.name);
    return Next::done();
  }
  std::vector<std::string>& seen;
};

ManagerOptions options() {
  ManagerOptions chosen;
  chosen.workers = WorkerMode::Executor;
  chosen.lease_namespace = "n";
  chosen.identity = "me";
  return chosen;
}

struct TakeoverTest : ::testing::Test {
  TakeoverTest() {
    transport.on_request([this](const Request& request) { return answer(request); });
    things.on_any([this](const Thing& thing) { controller.enqueue(key_of(thing)); });
  }
  Response answer(const Request& request) {
    if (request.method == Method::Get && version == 0) return {.status = 404};
    if (request.method != Method::Get) {
      const bool given_back = request.body.find(R"("holderIdentity":"")") != std::string::npos;
      hold(given_back ? "" : "me", given_back ? 1 : 15);
    }
    return {.status = 200,
            .body = R"({"metadata":{"resourceVersion":")" + std::to_string(version) +
                    R"("},"spec":{"holderIdentity":")" + holder + R"(","leaseDurationSeconds":)" +
                    std::to_string(lease_seconds) + "}}"};
  }
  void hold(const std::string& name, int duration) {
    holder = name;
    lease_seconds = duration;
    ++version;
  }
  void give_back() { hold("", 1); }
  void answer_list(const std::string& more = "") {
    auto& stream = transport.last_stream();
    stream.status(200);
    for (const std::string& name : {std::string("a"), more}) {
      if (!name.empty()) stream.line(R"({"type":"ADDED","object":)" + thing_json(name, 90) + "}");
    }
    stream.line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"100",)"
                R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
    executor.settle();
  }
  void start_and_sync() {
    ASSERT_TRUE(manager.start());
    executor.settle();
    answer_list();
  }
  bool dump_has(const std::string& part) {
    for (const std::string& line : manager.dump()) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  std::string holder;
  int lease_seconds = 0, version = 0;  // the lease's; version 0: there is none
  std::vector<std::string> reconciled;
  Manager manager{options(), {transport, executor, clock, random, *logger}};
  Informer<Thing>& things = manager.add_informer<Thing>();
  Controller& controller = manager.add_controller("c", std::make_unique<Noting>(reconciled));
};

using Names = std::vector<std::string>;

TEST_F(TakeoverTest, the_first_leader_of_all_waits_for_nothing) {
  start_and_sync();
  EXPECT_TRUE(manager.leading());
  EXPECT_EQ(reconciled, Names{"a"});
  EXPECT_EQ(transport.streams().size(), 1U);
}

TEST_F(TakeoverTest, a_lease_that_was_free_before_anything_was_listed_is_taken_without_waiting) {
  give_back();
  start_and_sync();
  EXPECT_EQ(reconciled, Names{"a"});
  EXPECT_EQ(transport.streams().size(), 1U);
}

TEST_F(TakeoverTest, nothing_is_listed_before_the_lease_was_looked_at) {
  ASSERT_TRUE(manager.start());
  executor.settle();
  ASSERT_EQ(transport.requests().size(), 2U);
  EXPECT_NE(transport.requests()[0].path_and_query.find("/leases/"), std::string::npos);
  EXPECT_NE(transport.requests()[1].path_and_query.find("/things"), std::string::npos);
}

TEST_F(TakeoverTest, who_takes_over_works_only_when_its_caches_show_what_the_leader_before_wrote) {
  hold("other", 15);
  start_and_sync();
  executor.advance(seconds(10));
  EXPECT_FALSE(manager.leading());
  transport.last_stream().line(R"({"type":"ADDED","object":)" + thing_json("b", 101) + "}");
  give_back();
  executor.advance(seconds(5));
  EXPECT_TRUE(manager.leading());
  EXPECT_EQ(reconciled, Names{});
  EXPECT_TRUE(dump_has("behind kind=Thing"));
  EXPECT_NE(manager.metrics().expose().find("reprise_caches_behind 1"), std::string::npos);
  answer_list("b");
  EXPECT_EQ(reconciled, (Names{"a", "b"}));
  EXPECT_FALSE(dump_has("behind "));
}

TEST_F(TakeoverTest, a_lease_that_changed_hands_since_it_was_found_free_is_a_takeover) {
  ASSERT_TRUE(manager.start());
  executor.settle();
  hold("other", 15);
  give_back();
  answer_list();
  EXPECT_TRUE(manager.leading());
  EXPECT_EQ(reconciled, Names{});
  answer_list();
  EXPECT_EQ(reconciled, Names{"a"});
}

TEST_F(TakeoverTest, a_leader_whose_caches_never_catch_up_stops_and_gives_the_lease_back) {
  hold("other", 15);
  start_and_sync();
  give_back();
  executor.advance(seconds(5));
  ASSERT_TRUE(manager.leading());
  EXPECT_FALSE(manager.lost());
  executor.advance(minutes(1));
  EXPECT_FALSE(manager.leading());
  EXPECT_TRUE(manager.lost());
  EXPECT_EQ(reconciled, Names{});
  manager.stop();
  executor.settle();
  EXPECT_EQ(holder, "");
}

}  // namespace
}  // namespace reprise::runtime
