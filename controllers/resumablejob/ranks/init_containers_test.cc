// Containers that come before the trainer: whose failures are whose, and what their ends prove.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

JobWorld running(const std::function<void(api::ResumableJob&)>& change) {
  JobWorld world(MakeJob("fit").with(change).get());
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

void fail_in_init(JobWorld& world, const std::string& name, std::vector<kube::ContainerStatus> inits) {
  kube::Pod& pod = world.pods_.at(name);
  pod.container_statuses[0].state = kube::ContainerStateKind::Waiting;
  std::vector<kube::Text> names;
  for (const kube::ContainerStatus& each : inits) names.push_back(each.name);
  pod.init_container_names = names;
  inits.push_back(pod.container_statuses[0]);
  pod.container_statuses = inits;
  pod.phase = kube::PodPhase::Failed;
}

kube::ContainerStatus init(std::string_view name, int exit_code, bool sidecar = false) {
  kube::ContainerStatus status;
  status.name = name;
  status.init = true;
  status.sidecar = sidecar;
  status.state = kube::ContainerStateKind::Terminated;
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

void fails_the_job(api::ResumableJob& job, std::string_view container) {
  api::PodFailureRule rule;
  rule.action = api::FailureAction::FailJob;
  rule.on_exit_codes_container = container;
  rule.on_exit_codes_operator = "In";
  rule.on_exit_codes_values = {1};
  job.spec.pod_failure_rules = {rule};
}

TEST(InitContainers, that_fail_are_not_judged_by_a_rule_about_the_container_that_trains) {
  for (const bool operator_restarts : {false, true}) {
    JobWorld world = running([](auto& j) { fails_the_job(j, "trainer"); });
    fail_in_init(world, "fit-1-0", {init("reprise-agent-install", 0), init("fetch-data", 1)});
    world.reconcile();
    if (operator_restarts) {
      world.pods_.erase("fit-1-0");
      world.forget_deleted_pods();
    }
    world.settle();
    EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  }
  JobWorld any = running([](auto& j) { fails_the_job(j, ""); });
  fail_in_init(any, "fit-1-0", {init("reprise-agent-install", 0), init("fetch-data", 1)});
  any.settle();
  EXPECT_EQ(any.state("Failed"), "True/PodFailurePolicy");
}

// The sidecar crashed and was about to be started again when its kubelet was last heard; then the Node object was
// deleted and the pod was called Failed for it, while its kubelet went on.
TEST(InitContainers, that_run_beside_the_trainer_prove_no_end_by_theirs) {
  JobWorld world = running([](auto&) {});
  fail_in_init(world, "fit-1-0", {init("reprise-agent-install", 0), init("proxy", 1, true)});
  world.pods_.at("fit-1-0").conditions = {{"DisruptionTarget", "True", "DeletionByPodGC", ""}};
  world.remove_node("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  ASSERT_EQ(world.status().members.size(), 1U);
  EXPECT_EQ(world.status().members[0].proof, api::EndProof::None);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
