// A rank that overfills its own disk has failed, in the kubelet's words: no machine was taken from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kOverTheLimit = "Pod ephemeral local storage usage exceeds the total limit of containers 30Mi. ";

// The agent has the kubelet's SIGTERM for a request to stop.
std::string told_to_stop(int exit_code) {
  return R"({"attempt":1,"index":0,"exitCode":)" + std::to_string(exit_code) +
         R"(,"finished":false,"asked":true,"saved":false})";
}

void evict(JobWorld& world, const std::string& pod, int exit_code = 137, const std::string& record = {}) {
  world.exit(pod, exit_code, record);
  world.pods_.at(pod).phase = kube::PodPhase::Failed;
  world.pods_.at(pod).reason = "Evicted";
  world.pods_.at(pod).message = kOverTheLimit;
}

void expect_one_failure(const JobWorld& world, const std::string& about) {
  EXPECT_EQ(world.status().failures, 1) << about;
  EXPECT_EQ(world.status().interruption_count, 0) << about;
  EXPECT_EQ(world.state("Complete"), "False/NotFinished") << about;
}

TEST(OwnDisk, overfilled_is_a_failure_whatever_the_trainer_ends_with) {
  for (const int exit_code : {137, 143, 0, 85, 1}) {
    for (const bool recorded : {true, false}) {
      JobWorld world = running_job();
      evict(world, "fit-1-0", exit_code, recorded ? told_to_stop(exit_code) : std::string());
      world.settle();
      expect_one_failure(world, std::to_string(exit_code) + (recorded ? ", with a record" : ""));
    }
  }
}

TEST(OwnDisk, overfilled_is_told_in_the_kubelets_words_and_uses_up_the_backoff_limit) {
  JobWorld world = running_job(1, [](api::ResumableJob& job) { job.spec.backoff_limit = 2; });
  for (int attempt = 1; attempt <= 3; ++attempt) {
    evict(world, "fit-" + std::to_string(attempt) + "-0");
    world.settle();
    ASSERT_EQ(world.status().failures, attempt);
    EXPECT_THAT(std::string(world.status().last_end->message), HasSubstr("total limit of containers 30Mi"));
    world.now_ += std::chrono::minutes(10);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  EXPECT_EQ(world.state("Failed"), "True/BackoffLimitExceeded");
  EXPECT_THAT(world.condition("Failed").message, HasSubstr("total limit of containers 30Mi"));
}

TEST(OwnDisk, overfilled_by_one_of_a_gang_is_a_failure_also_when_its_peers_have_ended) {
  JobWorld world = running_job(2);
  evict(world, "fit-1-1", 137, told_to_stop(137));
  world.settle();
  world.stop_deleted(143);
  world.settle();
  expect_one_failure(world, "a gang");
}

TEST(OwnDisk, overfilled_is_a_failure_where_the_pod_is_gone_by_the_time_anybody_looks) {
  JobWorld world = running_job();
  evict(world, "fit-1-0", 137, told_to_stop(137));
  world.force_remove("fit-1-0");
  world.settle();
  expect_one_failure(world, "its pod is gone");
}

TEST(OwnDisk, overfilled_while_an_init_container_runs_is_a_failure) {
  JobWorld world = running_job();
  evict(world, "fit-1-0");
  for (kube::ContainerStatus& each : world.pods_.at("fit-1-0").container_statuses) {
    each.reason = "ContainerStatusUnknown";
    each.message = "";
  }
  world.settle();
  expect_one_failure(world, "the kubelet cannot tell how its containers ended");
}

TEST(OwnDisk, is_no_matter_once_the_trainer_has_ended_well) {
  JobWorld world = running_job();
  evict(world, "fit-1-0", 0, R"({"attempt":1,"index":0,"exitCode":0,"finished":true,"step":9,"durable":true})");
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

TEST(OwnDisk, of_a_pod_that_is_marked_is_an_interruption) {
  JobWorld world = running_job();
  evict(world, "fit-1-0", 137, told_to_stop(137));
  world.pods_.at("fit-1-0").conditions = {
      kube::PodCondition{"DisruptionTarget", "True", "TerminationByKubelet", "node is short of disk"}};
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_THAT(std::string(world.status().last_end->message), Not(HasSubstr("own disk")));
}

TEST(OwnDisk, overfilled_while_the_job_saves_for_an_interruption_is_not_counted) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  evict(world, "fit-1-1", 137, told_to_stop(137));
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 1);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
