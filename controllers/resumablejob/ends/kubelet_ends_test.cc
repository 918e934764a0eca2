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

// The node stays, hours pass, and the training is done.
void request_checkpoint(JobWorld& world) {
  kube::Event event;
  event.meta.name = event.meta.uid = "hint";
  event.meta.namespace_ = "default";
  event.meta.creation_timestamp = world.now_ += std::chrono::minutes(1);
  event.involved_kind = "Node";
  event.involved_name = "node-of-fit-1-0";
  event.involved_uid = "uid-node-of-fit-1-0";
  event.reason = "SpotInterrupted";
  event.source = "karpenter";
  event.last_timestamp = world.now_;
  world.events_.push_back(std::make_shared<const kube::Event>(event));
  world.settle();
  ASSERT_EQ(world.checkpoint_requests_.size(), 1U);
  world.now_ += std::chrono::hours(3);
  world.settle();
}

JobWorld after_request_and_end(const std::string& also_recorded, int exit_code = 0) {
  JobWorld world = running([](api::ResumableJob& job) {
    probed(job);
    job.spec.backoff_limit = 0;
  });
  request_checkpoint(world);
  world.exit("fit-1-0", exit_code,
             R"({"attempt":1,"index":0,"exitCode":)" + std::to_string(exit_code) + R"(,"finished":false,)" +
                 also_recorded + R"(,"step":200,"durable":true})");
  world.settle();
  return world;
}

TEST(KubeletEnds, are_none_where_a_trainer_with_a_probe_ends_with_0_after_a_mere_request) {
  for (const char* record : {R"("asked":true,"requestOnly":true)", R"("asked":true)"}) {
    const JobWorld world = after_request_and_end(record);
    EXPECT_EQ(world.status().failures, 0) << record;
    EXPECT_EQ(world.state("Failed"), "False/NotFinished") << record;
    EXPECT_EQ(world.state("Complete"), "False/NotFinished") << record << ": it may have answered the request";
    EXPECT_EQ(world.status().last_end->reason, "Checkpointed") << record;
  }
}

TEST(KubeletEnds, are_none_where_a_signal_that_nobody_ended_it_with_came_before_a_0) {
  JobWorld world = running(probed);
  world.exit("fit-1-0", 0,
             R"({"attempt":1,"index":0,"exitCode":0,"finished":false,"asked":true,"requestOnly":true,"saved":false})");
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
}

TEST(KubeletEnds, are_none_where_a_trainer_with_a_probe_saves_on_request_and_asks_to_be_run_again) {
  const JobWorld world = after_request_and_end(R"("asked":false)", 85);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().last_end->reason, "Checkpointed");
}

TEST(KubeletEnds, are_failures_although_a_checkpoint_was_requested_before) {
  EXPECT_EQ(after_request_and_end(R"("asked":true,"requestOnly":false)").status().failures, 1);
  EXPECT_EQ(after_request_and_end(R"("asked":true)", 143).status().failures, 1) << "an older agent's";
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
