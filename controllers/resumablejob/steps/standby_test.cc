// Standby pods: places for the next attempt, and no node rented twice for one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::kStart;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using controllers::testing::running_job;
using ::testing::UnorderedElementsAre;

TEST(Standby, comes_with_a_notice_only_for_the_nodes_that_go_and_goes_when_the_job_runs) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-1-0-standby"));
  EXPECT_FALSE(world.has_pod("fit-1-1-standby"));
  EXPECT_TRUE(world.pod("fit-1-0-standby").claim_names.empty()) << "a standby pod never mounts the checkpoints";
  world.stop_deleted(143);
  world.settle();
  world.schedule_all();
  world.settle();
  world.stop_deleted(0);
  EXPECT_FALSE(world.has_pod("fit-1-0-standby"));
}

// Without a pool nobody would rent a node for them.
TEST(Standby, is_made_in_pools_only) {
  JobWorld world(MakeJob("fit")
                     .with([](auto& job) {
                       job.spec.pool_name.clear();
                       job.spec.pod_template.containers[0].limits.clear();
                     })
                     .get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  ASSERT_TRUE(world.status().attempt_end);
  EXPECT_FALSE(world.has_pod("fit-1-0-standby"));
}

// Both would wait for a node, and Karpenter would rent one for each.
TEST(Standby, that_waits_for_a_node_goes_when_the_attempt_s_own_pods_ask_for_one) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-1-1-standby"));
  world.run_on("fit-1-0-standby", "node-s");
  world.settle();
  EXPECT_TRUE(world.has_pod("fit-1-1-standby")) << "the attempt is still ending";
  world.stop_deleted(143);
  world.settle();
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-1-0-standby", "fit-2-0", "fit-2-1"))
      << "the one that holds a node is preempted in place";
}

TEST(Standby, is_not_made_for_a_place_that_is_held_already) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  world.run_on("fit-1-0-standby", "node-s");
  world.stop_deleted(143);
  world.settle();
  world.run_on("fit-2-0", "node-t");
  world.settle();
  world.delete_node_claim("node-t");
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 2);
  EXPECT_FALSE(world.has_pod("fit-2-0-standby"));
  world.pods_.erase("fit-1-0-standby");  // preempted by somebody else's pod
  world.settle();
  EXPECT_TRUE(world.has_pod("fit-2-0-standby"));
}

// Both nodes go, and places for both are held: what the namespace may have is used up before the first pod of the
// next attempt is asked for.
TEST(Standby, that_holds_what_the_quota_leaves_goes_when_a_pod_of_the_attempt_is_rejected) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  world.run_on("fit-1-0-standby", "node-s");
  world.run_on("fit-1-1-standby", "node-t");
  world.stop_deleted(143);
  world.pod_quota_ = 2;
  for (int i = 0; i < 10; ++i) {
    world.reconcile();
    world.stop_deleted(0);
  }
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-2-0", "fit-2-1"));
}

TEST(Standby, whose_node_the_attempt_cannot_use_goes_when_preemption_has_had_its_time) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.run_on("fit-1-0-standby", "node-in-another-zone");
  world.stop_deleted(143);
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-1-0-standby")) << "the scheduler has a moment to preempt it";
  const Plan waiting = world.reconcile();
  ASSERT_TRUE(waiting.wake_at);
  world.now_ = *waiting.wake_at;
  world.settle();
  world.stop_deleted(0);
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-2-0", "fit-2-1"));
}

// The job may wait for days then, and the node would be paid for all the while.
TEST(Standby, goes_when_the_job_waits_for_a_person_or_for_another_job) {
  const std::pair<const char*, std::function<void(JobWorld&)>> obstacles[] = {
      {"PoolDeleting",
       [](JobWorld& world) {
         world.pool_ = MakePool("t4").with([](auto& pool) { pool.meta.deletion_timestamp = kStart; }).get();
       }},
      {"ClaimInUse", [](JobWorld& world) { world.kept_claims_["fit-checkpoints"] = "another job trains there"; }},
      {"CheckpointLost", [](JobWorld& world) { world.claims_.clear(); }},
  };
  for (const auto& [reason, arise] : obstacles) {
    JobWorld world = running_job(2);
    world.delete_node_claim("node-of-fit-1-0");
    world.settle();
    world.run_on("fit-1-0-standby", "node-s");
    world.settle();
    arise(world);
    world.stop_deleted(143);
    world.settle();
    EXPECT_EQ(world.condition("PodsReady").reason, reason);
    ASSERT_TRUE(world.has_pod("fit-1-0-standby"));
    EXPECT_TRUE(world.pod("fit-1-0-standby").meta.deletion_timestamp) << reason;
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
