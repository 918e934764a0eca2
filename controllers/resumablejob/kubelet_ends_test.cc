// Ends that the kubelet brought about, or that were not the trainer's: whose they are, and what is counted.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

JobWorld running(const std::function<void(api::ResumableJob&)>& change, std::int32_t parallelism = 1) {
  JobWorld world(MakeJob("fit").parallelism(parallelism).with(change).get());
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

// The agent was sent a stop signal, and says so.
std::string stop_requested(int exit_code) {
  return R"({"attempt":1,"index":0,"exitCode":)" + std::to_string(exit_code) +
         R"(,"finished":false,"asked":true,"saved":false})";
}

void probed(api::ResumableJob& job) {
  api::TemplateContainer trainer = job.spec.pod_template.containers[0];
  trainer.kubelet_may_end = true;
  job.spec.pod_template.containers = {trainer};
}

// restartPolicy Never: the pod fails, and stays.
TEST(KubeletEnds, of_a_trainer_whose_probe_fails_is_a_failure_of_the_application) {
  for (const int exit_code : {143, 137, 0, 85, 1}) {
    JobWorld world = running(probed);
    world.exit("fit-1-0", exit_code, stop_requested(exit_code));
    world.settle();
    EXPECT_EQ(world.status().failures, 1) << exit_code;
    EXPECT_EQ(world.status().interruption_count, 0) << exit_code;
    EXPECT_EQ(world.state("Complete"), "False/NotFinished") << exit_code;
  }
}

TEST(KubeletEnds, of_a_trainer_with_a_probe_whose_node_goes_is_an_interruption) {
  JobWorld world = running(probed);
  world.delete_node_claim("node-of-fit-1-0");
  world.exit("fit-1-0", 143, stop_requested(143));
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 1);
}

TEST(KubeletEnds, of_a_trainer_without_a_probe_is_no_probe_s) {
  JobWorld world = running([](auto&) {});
  world.exit("fit-1-0", 143, stop_requested(143));
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
}

TEST(KubeletEnds, of_one_of_a_gang_use_up_the_backoff_limit_whatever_the_exit_code) {
  JobWorld world = running(
      [](api::ResumableJob& job) {
        probed(job);
        job.spec.backoff_limit = 1;
      },
      2);
  for (int attempt = 1; attempt <= 2; ++attempt) {
    world.exit("fit-" + std::to_string(attempt) + "-0", 137, stop_requested(137));
    world.settle();
    world.stop_deleted(143);
    world.settle();
    EXPECT_EQ(world.status().failures, attempt);
    world.now_ += std::chrono::minutes(10);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  EXPECT_EQ(world.state("Failed"), "True/BackoffLimitExceeded");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
