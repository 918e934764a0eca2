// The fence before a rank has come to run: pods without a node, and pods that wait on theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using ::testing::ElementsAre;

// Bound, and waiting there for its volume or its image, when the machine restarts: the kubelet starts it after that.
JobWorld bound_and_waiting() {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.run_on("fit-1-0", "node-a");
  world.pods_.at("fit-1-0").phase = kube::PodPhase::Pending;
  world.pods_.at("fit-1-0").container_statuses[0].state = kube::ContainerStateKind::Waiting;
  world.pods_.at("fit-1-0").conditions.clear();
  world.settle();
  return world;
}

TEST(WaitingPod, a_new_boot_proves_nothing_about_a_pod_that_was_started_in_it) {
  JobWorld world = bound_and_waiting();
  world.nodes_.at("node-a").boot_id = "boot-after-restart";
  world.settle();
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.node_ready("node-a", "Unknown");
  world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(30);  // taint manager
  world.settle();
  EXPECT_EQ(world.status().attempt, 1) << "it runs on";
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-a"));
  world.remove_node_claim("node-a");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(WaitingPod, a_new_boot_proves_nothing_about_a_pod_that_nobody_saw_started_before_it) {
  JobWorld world = bound_and_waiting();
  world.nodes_.at("node-a").boot_id = "boot-after-restart";
  world.run_on("fit-1-0", "node-a");
  world.force_remove("fit-1-0");
  world.forget_deleted_pods();  // all of this while the operator was down
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
}

TEST(WaitingPod, a_node_object_that_was_made_again_is_the_same_machine_for_a_pod_that_waits_there) {
  JobWorld world = bound_and_waiting();
  world.nodes_.at("node-a").meta.uid = "uid-second-object";
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 0);
}

// The API server removes a pod without a node at once: a process that dies with its request would not know whether the
// pod had come to run.
TEST(WaitingPod, that_a_pod_was_never_bound_is_written_down_before_it_is_deleted) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.run_on("fit-1-1", "node-a");
  world.settle();
  world.delete_node_claim("node-a");
  for (int pass = 0; pass < 10; ++pass) {
    world.reconcile();
    world.forget_deleted_pods();  // the process dies after each pass
    ASSERT_FALSE(world.status().members.empty());
    const bool known = world.status().members[0].proof == api::EndProof::NeverBound;
    EXPECT_TRUE(known || world.has_pod("fit-1-0")) << "after pass " << pass;
  }
  EXPECT_FALSE(world.has_pod("fit-1-0"));
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(WaitingPod, a_pod_that_was_bound_while_it_was_to_be_marked_failed_is_stopped_like_any_other) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.run_on("fit-1-1", "node-a");
  world.settle();
  world.delete_node_claim("node-a");
  world.bind_before_mark_failed("fit-1-0", "node-b");
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-1-0"));
  EXPECT_EQ(world.pod("fit-1-0").phase, kube::PodPhase::Running);
  EXPECT_TRUE(world.pod("fit-1-0").meta.deletion_timestamp);
  EXPECT_EQ(world.status().members[0].proof, api::EndProof::None);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
