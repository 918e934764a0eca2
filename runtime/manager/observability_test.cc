// Probes, the state dump and the log of a manager.
#include "runtime/events/log_object.h"
#include "runtime/manager/observability_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ObservabilityTest;
using testing::Thing;

TEST_F(ObservabilityTest, a_leader_that_outlives_its_lease_is_aborted_once_and_not_alive) {
  run();
  EXPECT_TRUE(manager.liveness().run().ok);
  lease_status = 500;
  executor.advance(seconds(14));
  EXPECT_TRUE(manager.liveness().run().ok);
  EXPECT_TRUE(aborts.empty());
  executor.advance(seconds(1));
  ASSERT_EQ(aborts.size(), 1U);
  const HealthReport health = manager.liveness().run();
  EXPECT_FALSE(health.ok);
  EXPECT_NE(health.text.find("[-]leaderElection failed: the lease ended"), std::string::npos);
}

TEST_F(ObservabilityTest, a_server_out_of_reach_makes_a_standby_neither_dead_nor_unready) {
  other_holder = "other";
  run();
  transport.last_stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "no route"); });
  for (int i = 0; i < 60; ++i) {
    executor.advance(minutes(1));
    if (transport.last_stream().open()) transport.last_stream().close(Error{ErrorClass::Unavailable, "reset", {}});
    const HealthReport health = manager.liveness().run();
    ASSERT_TRUE(health.ok) << health.text;
    ASSERT_TRUE(manager.readiness().run().ok);
  }
}

TEST_F(ObservabilityTest, a_reconcile_that_runs_a_minute_longer_than_it_may_is_named) {
  work = [this](ReconcileContext&) {
    clock.advance(seconds(180));
    EXPECT_EQ(manager.liveness().run().text.find("[-]workers"), std::string::npos);
    clock.advance(seconds(1));
    const HealthReport health = manager.liveness().run();
    EXPECT_NE(health.text.find("[-]workers failed: controller things: n/a has been running for 181 s, at most 180 s"),
              std::string::npos)
        << health.text;
    EXPECT_NE(dump().find("reconcile controller=things key=n/a age=181000ms"), std::string::npos);
    return Next::done();
  };
  run();
  EXPECT_EQ(reconciles, 1);
  EXPECT_EQ(manager.liveness().run().text.find("[-]workers"), std::string::npos);
}

TEST_F(ObservabilityTest, a_watch_that_forgot_to_act_is_named) {
  run();
  clock.advance(minutes(5) + seconds(1));  // and the loop does nothing
  const HealthReport health = manager.liveness().run();
  EXPECT_FALSE(health.ok);
  EXPECT_NE(health.text.find("[-]watches failed: the watch of things: no byte for 301 s though connected"),
            std::string::npos)
      << health.text;
  EXPECT_NE(health.text.find("[-]loop failed"), std::string::npos);
}

TEST_F(ObservabilityTest, readiness_does_not_end_before_the_work_does) {
  run();
  lease_status = 500;
  executor.advance(seconds(11));  // lost: the process is to stop
  EXPECT_TRUE(manager.readiness().run().ok);
  EXPECT_TRUE(manager.liveness().run().ok);
}

TEST_F(ObservabilityTest, the_dump_tells_of_lease_watches_queues_watermarks_and_requests) {
  EXPECT_NE(dump().find("lease phase=Following"), std::string::npos);
  work = [](ReconcileContext&) -> Result<Next> { return fail(ErrorClass::Unavailable, "no"); };
  run();
  clock.advance(seconds(3));
  const std::string text = dump();
  for (const char* part :
       {"lease phase=Leading holder=me transitions=0 renewed=3000ms ago permitsEndIn=11500ms leaseEndsIn=11500ms",
        "informer kind=Thing namespace= state=Live synced=true objects=1 resourceVersion=100 lastByteAge=3000ms",
        "controller name=things ready=0 working=0 delayed=1 failing=1 mostFailures=1", "watermarks ownersWaiting=0",
        "requests underWay=0"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(ObservabilityTest, lines_of_a_reconcile_name_controller_object_and_id) {
  work = [](ReconcileContext& context) {
    Thing thing;
    thing.meta.namespace_ = "n";
    thing.meta.name = "other";
    thing.meta.uid = "u";
    context.logger().info("Did it", {about(thing), uid_of(thing)});
    return Next::done();
  };
  run();
  EXPECT_NE(lines.text.find(R"("msg":"Did it","controller":"things","namespace":"n","name":"a","reconcileID":")"),
            std::string::npos)
      << lines.text;
  EXPECT_NE(lines.text.find(R"(,"Thing":"n/other","uid":"u")"), std::string::npos) << lines.text;
}

}  // namespace
}  // namespace reprise::runtime
