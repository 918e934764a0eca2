// Pods whose end is proven and whose objects stay.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;

TEST(LingeringPod, of_a_proven_rank_does_not_hold_up_the_next_attempt) {
  JobWorld world = running_job();
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.job_.meta.annotations["reprise.dev/confirm-ended"] = world.nodes_.at("node-of-fit-1-0").meta.uid + "/1";
  world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(30);
  world.settle_with_crashes();
  ASSERT_TRUE(world.has_pod("fit-1-0"));
  EXPECT_EQ(world.status().attempt, 2);
  ASSERT_EQ(world.status().members.size(), 1U);
  EXPECT_EQ(world.status().members[0].pod_name, "fit-2-0");
}

TEST(LingeringPod, of_a_proven_rank_does_not_excuse_another_pod_beside_it) {
  JobWorld world = running_job();
  kube::Pod orphan = world.pod("fit-1-0");
  orphan.meta.name = "fit-0-0";
  orphan.meta.uid = "uid-orphan";
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(30);
  world.settle();
  world.pods_.emplace("fit-0-0", orphan);
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
}

// A kubelet holds the last phase back until it has tidied up after the containers; this one's node went before.
TEST(LingeringPod,
     whose_containers_are_reported_as_ended_and_whose_phase_never_came_does_not_hold_up_the_next_attempt) {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.exit("fit-1-0", 143);
  world.pods_.at("fit-1-0").phase = kube::PodPhase::Running;
  world.settle();
  ASSERT_EQ(world.status().attempt, 1);
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.job_.meta.annotations["reprise.dev/confirm-ended"] = world.nodes_.at("node-of-fit-1-0").meta.uid + "/1";
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-1-0"));
  EXPECT_EQ(world.status().attempt, 2);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
