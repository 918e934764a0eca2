// Machines of which nothing is heard, or that say that they are shutting down: who is waited for, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kNode = "node-of-fit-1-0";

void shut_down(JobWorld& world, const std::string& node = kNode) {
  world.nodes_.at(node).conditions = {{"Ready", "False", "KubeletNotReady", "node is shutting down"}};
}

bool asks_a_person(const JobWorld& world) {
  return std::ranges::any_of(world.announced_,
                             [](const Announcement& each) { return each.reason == "WriterNotFenced"; });
}

TEST(NodeShutdown, is_waited_for_until_the_pod_s_time_is_over_and_nobody_is_asked_meanwhile) {
  JobWorld world = running_job();
  world.node_claims_.clear();  // a machine that nobody here can end
  shut_down(world);
  world.settle();
  ASSERT_TRUE(world.status().attempt_end);
  EXPECT_EQ(world.status().attempt_end->reason, "NodeShutdown");
  const kube::Time over = *world.pod("fit-1-0").meta.deletion_timestamp;
  world.now_ = over;
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForRecovery");
  EXPECT_THAT(world.condition("PodsReady").message, Not(HasSubstr("confirm-ended"))) << "its trainer saves";
  EXPECT_FALSE(asks_a_person(world));
  world.now_ = over + std::chrono::seconds(31);
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_TRUE(asks_a_person(world));
}

TEST(NodeShutdown, that_the_kubelet_reports_is_followed_by_the_next_attempt) {
  JobWorld world = running_job();
  shut_down(world);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty()) << "it ends by itself";
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_FALSE(asks_a_person(world));
}

TEST(NodeShutdown, of_a_node_that_falls_silent_over_it_is_a_loss_of_the_node) {
  JobWorld world = running_job();
  shut_down(world);
  world.settle();
  world.node_ready(kNode, "Unknown");
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0"));
}

TEST(NodeShutdown, is_not_what_a_node_says_that_is_not_ready_for_another_reason) {
  JobWorld world = running_job();
  world.node_claims_.clear();
  world.nodes_.at(kNode).conditions = {{"Ready", "False", "KubeletNotReady", "container runtime is down"}};
  world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(100);
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
}

// Karpenter's drain waits for it.
TEST(SilentMachine, has_its_pod_deleted_with_the_least_grace_before_its_claim) {
  JobWorld world = running_job(2);
  world.node_ready(kNode, "Unknown");
  kube::Pod& pod = world.pods_.at("fit-1-0");
  pod.meta.deletion_timestamp = world.now_ + std::chrono::seconds(600);  // the taint manager's
  pod.meta.deletion_grace_period_seconds = 600;
  std::vector<std::string> order;
  for (int pass = 0; pass < 3; ++pass) {
    for (const Action& action : world.reconcile().actions) {
      if (const auto* remove = std::get_if<DeletePod>(&action); remove != nullptr && remove->name == "fit-1-0")
        order.push_back("pod " + std::to_string(remove->grace_period_seconds.value_or(-1)));
      if (std::holds_alternative<DeleteNodeClaim>(action)) order.emplace_back("claim");
    }
  }
  EXPECT_THAT(order, ElementsAre("pod 1", "claim")) << "once";
  EXPECT_LE(*world.pod("fit-1-0").meta.deletion_timestamp, world.now_ + std::chrono::seconds(1));
  EXPECT_GT(*world.pod("fit-1-1").meta.deletion_timestamp, world.now_ + std::chrono::seconds(60)) << "it saves";
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced") << "that proves nothing";
}

TEST(SilentMachine, whose_pod_nobody_has_deleted_yet_has_it_deleted_with_the_least_grace) {
  JobWorld world = running_job(2);
  world.node_ready(kNode, "Unknown");
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  EXPECT_LE(*world.pod("fit-1-0").meta.deletion_timestamp, world.now_ + std::chrono::seconds(1));
}

TEST(SilentMachine, that_is_not_the_pool_s_or_speaks_keeps_its_pod_s_grace) {
  const auto grace_on = [](const std::function<void(JobWorld&)>& change) {
    JobWorld world = running_job();
    change(world);
    world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(600);
    world.pods_.at("fit-1-0").meta.deletion_grace_period_seconds = 600;
    world.settle();
    return *world.pod("fit-1-0").meta.deletion_grace_period_seconds;
  };
  EXPECT_EQ(grace_on([](JobWorld& world) {
              world.node_claims_.clear();
              world.node_ready(kNode, "Unknown");
            }),
            600);
  EXPECT_EQ(grace_on([](JobWorld& world) { world.node_ready(kNode, "False"); }), 600) << "its kubelet obeys";
  EXPECT_EQ(grace_on([](JobWorld& world) { world.node_ready(kNode, "True"); }), 600);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
