// Nodes to which the pods of the next attempt could be bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::MakeNode;
using ::testing::HasSubstr;

constexpr const char* kNode = "node-of-fit-1-0";

// The attempt has ended; its node is on its way out.
JobWorld between_attempts(const kube::Node& leaving) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.delete_node_claim(kNode);
  world.leaves(leaving);
  world.settle();
  world.stop_deleted(143);
  world.settle();
  return world;
}

// The trainer has been asked to stop and runs; its node was tainted just now.
JobWorld saving_on_tainted_node() {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.delete_node_claim(kNode);
  world.taint(kNode, "karpenter.sh/disrupted");
  world.leaves(*MakeNode(kNode).taint("karpenter.sh/disrupted").get());
  world.settle();
  return world;
}

TEST(LeavingNode, holds_the_next_attempt_while_it_still_takes_pods) {
  JobWorld world = between_attempts(*MakeNode(kNode).get());
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_FALSE(world.has_pod("fit-2-0"));
  EXPECT_THAT(std::string(world.condition("PodsReady").message), HasSubstr(kNode));
  EXPECT_TRUE(world.reconcile().wake_at) << "nobody may tell that the taint has come";
}

TEST(LeavingNode, that_takes_no_pods_holds_nothing) {
  EXPECT_EQ(between_attempts(*MakeNode(kNode).taint("karpenter.sh/disrupted").get()).status().attempt, 2);
  EXPECT_EQ(between_attempts(*MakeNode(kNode).with([](kube::Node& node) { node.unschedulable = true; }).get())
                .status()
                .attempt,
            2);
}

TEST(LeavingNode, that_gets_its_taint_lets_the_attempt_begin) {
  JobWorld world = between_attempts(*MakeNode(kNode).get());
  world.none_leaves();
  world.leaves(*MakeNode(kNode).taint("karpenter.sh/disrupted").get());
  world.settle();
  EXPECT_EQ(world.status().attempt, 1) << "the scheduler may not have heard of it";
  EXPECT_TRUE(world.reconcile().wake_at);
  world.now_ += std::chrono::seconds(2);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(LeavingNode, whose_taint_is_two_seconds_old_holds_nothing) {
  JobWorld world = saving_on_tainted_node();
  world.now_ += std::chrono::seconds(2);
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(LeavingNode, whose_taint_is_news_holds_the_next_attempt_until_the_scheduler_has_heard_of_it) {
  JobWorld world = saving_on_tainted_node();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_THAT(std::string(world.condition("PodsReady").message), HasSubstr("closed to pods"));
}

TEST(LeavingNode, holds_the_next_attempt_no_longer_because_the_clock_is_set_back) {
  JobWorld world = saving_on_tainted_node();
  world.stop_deleted(143);
  world.settle();
  world.now_ -= std::chrono::hours(1);
  world.settle();
  world.now_ += std::chrono::seconds(2);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(LeavingNode, that_never_gets_its_taint_holds_nothing_for_ever) {
  JobWorld world = between_attempts(*MakeNode(kNode).get());
  world.now_ += std::chrono::seconds(10);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
