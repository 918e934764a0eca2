// Nodes to which ranks come back do not look empty while they save, and are not kept for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod_builder.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/pods/pod_builder.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakePool;
using controllers::testing::running_job;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> kept_nodes(const JobWorld& world) {
  std::vector<std::string> nodes;
  for (const auto& [name, pod] : world.pods_)
    if (keeps_node(pod) && !pod.meta.deletion_timestamp) nodes.emplace_back(pod.node_name);
  return nodes;
}

// A job of a pool that gives back idle nodes at once.
JobWorld running(
    std::int32_t parallelism, const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(parallelism, change);
  world.pool_ = MakePool("t4").with([](auto& pool) { pool.spec.scale_down_idle_seconds = 0; }).get();
  return world;
}

// One of three nodes goes, and all three ranks save.
JobWorld saving(const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running(3, change);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  return world;
}

TEST(NodeKeepers, hold_the_healthy_nodes_of_an_attempt_that_ends_until_the_next_one_is_bound) {
  JobWorld world = saving();
  EXPECT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-1", "node-of-fit-1-2"));
  EXPECT_TRUE(world.has_pod("fit-1-0-standby")) << "they are no place for the rank whose node goes";
  world.stop_deleted(143);
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-2-0"));
  EXPECT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-1", "node-of-fit-1-2")) << "none is bound yet";
  world.run_on("fit-2-1", "node-of-fit-1-1");
  world.settle();
  EXPECT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-2")) << "a rank has the other one";
  world.run_on("fit-2-0", "node-new");
  world.run_on("fit-2-2", "node-other");
  world.settle();
  EXPECT_THAT(kept_nodes(world), IsEmpty()) << "no rank needs it";
}

TEST(NodeKeepers, are_no_places_for_ranks_whose_nodes_go_later) {
  JobWorld world = saving();
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  EXPECT_TRUE(world.has_pod("fit-1-1-standby"));
}

TEST(NodeKeepers, are_made_only_where_the_nodes_would_be_idle_for_too_long) {
  JobWorld world = running(2);
  world.pool_ = MakePool("t4").with([](auto& pool) { pool.spec.scale_down_idle_seconds = 60; }).get();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.now_ += std::chrono::seconds(35);
  world.settle();
  EXPECT_THAT(kept_nodes(world), IsEmpty());
  const Plan plan = world.reconcile();
  ASSERT_TRUE(plan.wake_at);
  EXPECT_LE(*plan.wake_at, world.now_ + std::chrono::seconds(5));
  world.now_ += std::chrono::seconds(5);
  world.settle();
  EXPECT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-1"));
}

TEST(NodeKeepers, are_made_as_well_where_ranks_save_because_one_has_failed_or_asks_to_be_run_again) {
  for (const int exit_code : {1, 85}) {
    JobWorld world = running(2);
    world.exit("fit-1-0", exit_code);
    world.settle();
    EXPECT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-0", "node-of-fit-1-1")) << exit_code;
  }
  JobWorld last = running(2, [](auto& job) { job.spec.backoff_limit = 0; });
  last.exit("fit-1-0", 1);
  last.settle();
  EXPECT_THAT(kept_nodes(last), IsEmpty()) << "the job ends with it";
}

TEST(NodeKeepers, are_none_where_nothing_follows_at_once) {
  JobWorld suspended = running(2);
  suspended.job_.spec.suspend = true;
  suspended.settle();
  EXPECT_THAT(kept_nodes(suspended), IsEmpty());
  const JobWorld limited = saving([](auto& job) { job.spec.interruption.limit = 1; });
  EXPECT_THAT(kept_nodes(limited), IsEmpty());
  const JobWorld never = saving([](auto& job) { job.spec.interruption.standby = api::StandbyPolicy::Never; });
  EXPECT_THAT(kept_nodes(never), IsEmpty());
  JobWorld vain = running(2, [](auto& job) { job.status.attempts_without_progress = kAttemptsWithoutProgress; });
  vain.delete_node_claim("node-of-fit-1-0");
  vain.settle();
  EXPECT_THAT(kept_nodes(vain), IsEmpty()) << "it waits for longer than a boot takes";
}

TEST(NodeKeepers, hold_no_node_that_goes_or_is_none_of_the_pool_s) {
  JobWorld world = running(3);
  world.taint("node-of-fit-1-1", "karpenter.sh/disrupted");
  world.node_claims_.at("node-of-fit-1-2").meta.labels["reprise.dev/pool"] = "another";
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_THAT(kept_nodes(world), IsEmpty());
}

TEST(NodeKeepers, go_when_the_job_is_suspended_meanwhile) {
  JobWorld world = saving();
  world.job_.spec.suspend = true;
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_THAT(kept_nodes(world), IsEmpty());
}

// The end of a rank waits for a person, who may take days.
TEST(NodeKeepers, go_with_a_suspension_before_the_end_of_the_attempt_is_proven) {
  JobWorld world = running(3);
  world.node_claims_.at("node-of-fit-1-0").meta.labels["reprise.dev/pool"] = "another";  // nobody here ends it
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.force_remove("fit-1-0");
  world.delete_node_claim("node-of-fit-1-2");
  world.settle();
  ASSERT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  ASSERT_TRUE(world.has_pod("fit-1-2-standby"));
  ASSERT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-1"));
  world.job_.spec.suspend = true;
  world.settle();
  world.stop_deleted(0);
  EXPECT_THAT(kept_nodes(world), IsEmpty());
  EXPECT_FALSE(world.has_pod("fit-1-2-standby")) << "its GPU is paid for";
}

TEST(NodeKeepers, wait_for_no_person) {
  JobWorld world = running(2);
  world.node_claims_.at("node-of-fit-1-0").meta.labels["reprise.dev/pool"] = "another";  // nobody here ends it
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.force_remove("fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  ASSERT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_THAT(kept_nodes(world), UnorderedElementsAre("node-of-fit-1-1"));
  world.now_ += std::chrono::minutes(11);
  world.settle();
  world.stop_deleted(0);
  EXPECT_THAT(kept_nodes(world), IsEmpty());
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_THAT(kept_nodes(world), IsEmpty()) << "not a second time either";
}

TEST(NodeKeepers, are_not_made_again_once_their_kubelet_has_ended_them) {
  JobWorld world = saving();
  world.pods_.at("fit-1-1-keeper").phase = kube::PodPhase::Failed;
  world.settle();
  EXPECT_EQ(world.pod("fit-1-1-keeper").phase, kube::PodPhase::Failed);
}

TEST(NodeKeepers, ask_for_nothing_and_end_by_themselves) {
  const JobWorld world = saving();
  Observation seen;
  seen.job = std::make_shared<const api::ResumableJob>(world.job_);
  seen.pool = world.pool_;
  const auto pod =
      build_node_keeper(seen, {.agent_image = "reprise:test"}, world.status(), 1, "node-a", std::chrono::seconds(600));
  const auto json = api::render_pod(pod);
  ASSERT_TRUE(json);
  EXPECT_THAT(*json, ::testing::HasSubstr(R"("nodeName":"node-a")"));
  EXPECT_THAT(*json, ::testing::HasSubstr(R"("activeDeadlineSeconds":600)"));
  EXPECT_THAT(*json, ::testing::HasSubstr(R"("command":["/reprise-agent","pause"])"));
  for (const char* absent : {"resources", "gpu\":", "initContainers", "volumes", "nodeSelector", "affinity"})
    EXPECT_THAT(*json, ::testing::Not(::testing::HasSubstr(absent)));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
