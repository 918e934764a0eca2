// Standby pods: places for the next attempt, and no machine rented twice for one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using ::testing::UnorderedElementsAre;

JobWorld running() {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

TEST(Standby, comes_with_a_notice_only_for_the_machines_that_go_and_goes_when_the_job_runs) {
  JobWorld world = running();
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

// Both would wait for a machine, and Karpenter would rent one for each.
TEST(Standby, that_waits_for_a_machine_goes_when_the_attempt_s_own_pods_ask_for_one) {
  JobWorld world = running();
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
      << "the one that holds a machine is preempted in place";
}

TEST(Standby, is_not_made_for_a_place_that_is_held_already) {
  JobWorld world = running();
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

}  // namespace
}  // namespace reprise::controllers::resumablejob
