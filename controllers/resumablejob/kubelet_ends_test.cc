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
std::string asked(int exit_code) {
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
    world.exit("fit-1-0", exit_code, asked(exit_code));
    world.settle();
    EXPECT_EQ(world.status().failures, 1) << exit_code;
    EXPECT_EQ(world.status().interruption_count, 0) << exit_code;
    EXPECT_EQ(world.state("Complete"), "False/NotFinished") << exit_code;
  }
}

TEST(KubeletEnds, of_a_trainer_with_a_probe_whose_machine_goes_is_an_interruption) {
  JobWorld world = running(probed);
  world.delete_node_claim("node-of-fit-1-0");
  world.exit("fit-1-0", 143, asked(143));
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 1);
}

TEST(KubeletEnds, of_a_trainer_without_a_probe_is_no_probe_s) {
  JobWorld world = running([](auto&) {});
  world.exit("fit-1-0", 143, asked(143));
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
    world.exit("fit-" + std::to_string(attempt) + "-0", 137, asked(137));
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

void fail_in_init(JobWorld& world, const std::string& name, std::vector<api::ContainerStatus> inits) {
  api::Pod& pod = world.pods_.at(name);
  pod.container_statuses[0].state = api::ContainerStateKind::Waiting;
  std::vector<api::Text> names;
  for (const api::ContainerStatus& each : inits) names.push_back(each.name);
  pod.init_container_names = names;
  inits.push_back(pod.container_statuses[0]);
  pod.container_statuses = inits;
  pod.phase = api::PodPhase::Failed;
}

api::ContainerStatus init(std::string_view name, int exit_code, bool sidecar = false) {
  api::ContainerStatus status;
  status.name = name;
  status.init = true;
  status.sidecar = sidecar;
  status.state = api::ContainerStateKind::Terminated;
  status.exit_code = exit_code;
  return status;
}

TEST(InitContainers, that_fail_are_judged_by_their_own_exit_code_and_not_by_a_sidecar_s) {
  JobWorld world = running([](auto&) {});
  fail_in_init(world, "fit-1-0", {init("reprise-agent-install", 0), init("proxy", 143, true), init("fetch-data", 3)});
  const auto plan = world.reconcile();
  EXPECT_EQ(world.status().failures, 1);
  ASSERT_FALSE(plan.announcements.empty());
  EXPECT_NE(plan.announcements[0].note.find("container fetch-data: exit code 3"), std::string::npos)
      << plan.announcements[0].note;
}

TEST(InitContainers, that_bring_the_agent_are_not_the_application) {
  JobWorld world = running([](auto& j) { j.spec.backoff_limit = 1; });
  std::chrono::seconds longest{0};
  for (int attempt = 1; attempt <= 5; ++attempt) {
    fail_in_init(world, "fit-" + std::to_string(attempt) + "-0", {init("reprise-agent-install", 1)});
    world.settle();
    EXPECT_EQ(world.status().failures, 0);
    EXPECT_EQ(world.status().attempt, attempt);
    ASSERT_TRUE(world.status().retry_after);
    longest = std::chrono::duration_cast<std::chrono::seconds>(*world.status().retry_after - world.now_);
    world.now_ += std::chrono::minutes(10);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  EXPECT_EQ(longest, std::chrono::seconds(160));
  EXPECT_EQ(world.status().attempts_without_progress, 5);
}

TEST(InitContainers, that_bring_the_agent_are_no_matter_of_the_users_failure_policy) {
  JobWorld world = running([](auto& j) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::FailJob;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {1};
    j.spec.pod_failure_rules = {rule};
  });
  fail_in_init(world, "fit-1-0", {init("reprise-agent-install", 1)});
  world.settle();
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  EXPECT_EQ(world.status().failures, 0);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
