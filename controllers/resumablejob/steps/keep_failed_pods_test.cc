// spec.keepFailedPods: what stays of attempts that failed, for kubectl logs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

void fail(JobWorld& world, const std::string& pod) {
  world.exit(pod, 1);
  controllers::testing::to_next_attempt(world);
  world.schedule_all();
  world.settle();
}

JobWorld keeping(std::int32_t count, std::int32_t ranks = 1) {
  return running_job(ranks, [&](api::ResumableJob& job) {
    job.spec.keep_failed_pods = count;
    job.spec.backoff_limit = 100;
  });
}

TEST(KeepFailedPods, keeps_none_where_nothing_is_said) {
  JobWorld world = keeping(0);
  fail(world, "fit-1-0");
  EXPECT_THAT(world.pods(), ElementsAre("fit-2-0"));
}

TEST(KeepFailedPods, keeps_the_newest_and_the_next_attempt_runs_beside_them) {
  JobWorld world = keeping(2);
  fail(world, "fit-1-0");
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-1-0", "fit-2-0"));
  EXPECT_EQ(world.state("PodsReady"), "True/Recovered");
  fail(world, "fit-2-0");
  fail(world, "fit-3-0");
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-2-0", "fit-3-0", "fit-4-0"));
}

TEST(KeepFailedPods, does_not_keep_the_peers_that_were_stopped) {
  JobWorld world = keeping(5, 2);
  fail(world, "fit-1-1");
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-1-1", "fit-2-0", "fit-2-1"));
}

TEST(KeepFailedPods, keeps_nothing_of_an_attempt_that_was_interrupted) {
  JobWorld world = keeping(5);
  world.delete_node_claim("node-of-fit-1-0");
  controllers::testing::to_next_attempt(world);
  EXPECT_THAT(world.pods(), ElementsAre("fit-2-0"));
}

TEST(KeepFailedPods, drops_what_is_more_when_it_is_lowered) {
  JobWorld world = keeping(2);
  fail(world, "fit-1-0");
  fail(world, "fit-2-0");
  world.job_.spec.keep_failed_pods = 1;
  world.settle();
  world.stop_deleted(1);
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-2-0", "fit-3-0"));
}

// Kubernetes does not let go of a claim that any pod mounts.
TEST(KeepFailedPods, keeps_none_that_mounts_a_claim_which_is_being_deleted) {
  JobWorld world = keeping(1);
  fail(world, "fit-1-0");
  for (auto& [name, pod] : world.pods_) pod.claim_names = {"fit-checkpoints"};
  auto going = std::make_shared<kube::PersistentVolumeClaim>(*world.claims_.at("fit-checkpoints"));
  going->meta.deletion_timestamp = world.now_;
  world.claims_["fit-checkpoints"] = going;
  world.settle();
  world.stop_deleted(1);
  EXPECT_FALSE(world.has_pod("fit-1-0"));
}

TEST(KeepFailedPods, keeps_them_when_a_process_dies_after_every_write) {
  JobWorld world = keeping(1);
  world.exit("fit-1-0", 1);
  world.settle_with_crashes();
  world.now_ += std::chrono::minutes(10);
  world.settle_with_crashes();
  EXPECT_THAT(world.pods(), UnorderedElementsAre("fit-1-0", "fit-2-0"));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
