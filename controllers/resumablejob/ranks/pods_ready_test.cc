// When a gang is ready, and how long it may hold nodes without being so.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

JobWorld begun(std::int32_t parallelism = 1) {
  JobWorld world(MakeJob("fit").parallelism(parallelism).get());
  world.settle();
  return world;
}

// Bound, and its image cannot be pulled.
void hang_on(JobWorld& world, const std::string& pod, const std::string& node) {
  world.run_on(pod, node);
  world.pods_.at(pod).phase = kube::PodPhase::Pending;
  world.pods_.at(pod).container_statuses = {};
  world.pods_.at(pod).conditions = {{"Ready", "False", "", ""}};
}

TEST(PodsReady, half_a_gang_that_holds_a_node_too_long_is_started_anew) {
  JobWorld world = begun(2);
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.now_ += std::chrono::seconds(1801);
  world.settle();
  EXPECT_TRUE(world.pod("fit-1-0").meta.deletion_timestamp);
  world.stop_deleted(143);
  world.settle();
  world.now_ += std::chrono::seconds(10);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(PodsReady, the_time_for_it_begins_when_the_first_rank_has_a_node_however_long_capacity_was_missing) {
  JobWorld world = begun();
  world.now_ += std::chrono::hours(5);
  world.settle();
  hang_on(world, "fit-1-0", "node-a");
  world.settle();
  EXPECT_FALSE(world.status().attempt_end);
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + std::chrono::seconds(1800));
}

TEST(PodsReady, the_time_for_it_begins_anew_when_a_gang_that_ran_is_not_ready_any_more) {
  JobWorld world = begun();
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.now_ += std::chrono::hours(5);
  world.settle();
  world.pods_.at("fit-1-0").conditions = {{"Ready", "False", "", ""}};
  world.settle();
  EXPECT_FALSE(world.status().attempt_end);
  world.now_ += std::chrono::seconds(1800);
  world.settle();
  EXPECT_TRUE(world.status().attempt_end);
}

// The node is paid for all the while.
TEST(PodsReady, three_attempts_that_never_get_there_are_called_stalled_and_wait_longer_each_time) {
  JobWorld world = begun();
  std::chrono::seconds pause{0};
  for (int attempt = 1; attempt <= 4; ++attempt) {
    hang_on(world, "fit-" + std::to_string(attempt) + "-0", "node-a");
    world.settle();
    world.now_ += std::chrono::seconds(1800);
    world.settle();
    world.exit("fit-" + std::to_string(attempt) + "-0", 137);
    world.stop_deleted(137);
    world.settle();
    ASSERT_TRUE(world.status().retry_after);
    EXPECT_GT(*world.status().retry_after - world.now_, pause) << attempt;
    pause = std::chrono::duration_cast<std::chrono::seconds>(*world.status().retry_after - world.now_);
    EXPECT_TRUE(attempt < 3 || world.state("Stalled") == "True/NoProgress") << attempt;
    world.now_ += std::chrono::minutes(10);
    world.settle();
  }
}

// A second container that only prepares something: it is not ready any more once it has ended, and neither is its pod.
TEST(PodsReady, is_what_the_containers_that_train_are_whatever_others_in_their_pods_do) {
  JobWorld world = begun();
  world.run_on("fit-1-0", "node-a");
  kube::Pod& pod = world.pods_.at("fit-1-0");
  kube::ContainerStatus trainer = pod.container_statuses[0];
  trainer.ready = true;
  kube::ContainerStatus helper = trainer;
  helper.name = "helper";
  helper.state = kube::ContainerStateKind::Terminated;
  helper.exit_code = 0;
  helper.ready = false;
  pod.container_names = {"trainer", "helper"};
  pod.container_statuses = {trainer, helper};
  pod.conditions = {{"Ready", "False", "ContainersNotReady", ""}};
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_FALSE(world.status().attempt_end);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
