// Pods of attempts that are over: created by a request whose answer was lost, or left by a crash.
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

TEST(Orphan, is_removed_and_holds_up_the_next_attempt) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  kube::Pod orphan = world.pod("fit-1-0");
  world.settle();
  world.exit("fit-1-0", 85);
  orphan.meta.name = "fit-0-0";
  orphan.meta.uid = "uid-orphan";
  world.pods_.emplace("fit-0-0", orphan);
  world.settle();
  world.now_ += std::chrono::seconds(10);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

// The request for it was carried out after the operator had looked for it.
void appears(JobWorld& world, const std::string& like, const std::string& name, const std::string& attempt) {
  kube::Pod orphan = world.pod(like);
  orphan.meta.name = name;
  orphan.meta.uid = "uid-orphan";
  orphan.meta.labels["reprise.dev/attempt"] = attempt;
  orphan.meta.deletion_timestamp.reset();
  orphan.node_name = {};
  orphan.phase = kube::PodPhase::Pending;
  orphan.container_statuses = {};
  world.pods_.emplace(name, orphan);
  world.run_on(name, "node-of-orphan");
}

// An old view of the job calls the pods of the attempt under way orphans: the write of the status finds that out.
TEST(Orphan, is_not_removed_before_the_status_is_written) {
  JobWorld world(MakeJob("fit").get());
  EXPECT_TRUE(world.reconcile().status_can_wait);
  world.settle();
  world.schedule_all();
  world.settle();
  world.job_.status.members.clear();
  world.service_ = false;
  const Plan plan = world.reconcile();
  EXPECT_TRUE(std::ranges::any_of(plan.actions, [](const auto& a) { return std::holds_alternative<DeletePod>(a); }));
  EXPECT_FALSE(plan.status_can_wait);
}

TEST(Orphan, that_appears_while_the_next_attempt_runs_is_removed_too) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-1-0", 85);
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  world.schedule_all();
  world.settle();
  ASSERT_EQ(world.status().attempt, 2);
  appears(world, "fit-2-0", "fit-1-1", "1");
  world.settle();
  EXPECT_TRUE(world.pod("fit-1-1").meta.deletion_timestamp);
  EXPECT_FALSE(world.pod("fit-2-0").meta.deletion_timestamp);
}

TEST(Orphan, of_a_job_that_has_ended_does_not_hold_a_node) {
  api::PodFailureRule rule;
  rule.action = api::FailureAction::FailJob;
  rule.on_exit_codes_operator = "In";
  rule.on_exit_codes_values = {1};
  JobWorld world(MakeJob("fit").parallelism(2).with([&](auto& job) { job.spec.pod_failure_rules = {rule}; }).get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit_all(1);
  world.settle();
  ASSERT_EQ(world.state("Failed"), "True/PodFailurePolicy");
  appears(world, "fit-1-0", "fit-1-7", "1");
  world.settle();
  EXPECT_TRUE(world.pod("fit-1-7").meta.deletion_timestamp);
  EXPECT_TRUE(world.has_pod("fit-1-0")) << "what has ended stays for its logs";
}

// A process asks for two pods and dies. One is there and its kubelet rejects it; the request for the other is on its
// way.
TEST(LatePods, are_waited_for_before_an_attempt_is_closed_that_another_process_has_begun) {
  for (const bool may_come : {true, false}) {
    JobWorld world = controllers::testing::running_job(2);
    world.pods_.erase("fit-1-1");
    api::RankStatus& rank = world.job_.status.members[1];
    rank = api::RankStatus{.index = 1, .pod_name = rank.pod_name};
    world.pods_may_come_ = may_come;
    world.exit("fit-1-0", 1);
    world.settle();
    world.stop_deleted(143);
    world.settle();
    EXPECT_EQ(world.status().members.empty(), !may_come);
    if (!may_come) continue;
    EXPECT_EQ(world.status().failures, 0);
    EXPECT_LE(world.reconcile().wake_at.value_or(kube::Time::max()), world.now_ + std::chrono::seconds(60));
    world.now_ += std::chrono::seconds(60);
    world.settle();
    EXPECT_EQ(world.status().failures, 1) << "what has not come by now does not come any more";
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
