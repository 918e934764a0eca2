// How often Events ask for checkpoints.
#include <gtest/gtest.h>

#include "controllers/interruption/signal.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using std::chrono::minutes;
using std::chrono::seconds;

void say(JobWorld& world, const std::string& uid, const std::string& source = "karpenter") {
  kube::Event event;
  event.meta.name = event.meta.uid = uid;
  event.meta.namespace_ = "default";
  event.meta.creation_timestamp = world.now_;
  event.involved_kind = "Node";
  event.involved_name = "node-of-fit-1-0";
  event.involved_uid = "uid-node-of-fit-1-0";
  event.reason = "SpotInterrupted";
  event.source = source;
  event.last_timestamp = world.now_;
  world.events_.push_back(std::make_shared<const kube::Event>(event));
}

JobWorld running() {
  JobWorld world = running_job();
  world.now_ += minutes(1);
  return world;
}

TEST(Hints, an_event_asks_at_once_and_a_flood_of_them_once_in_some_minutes) {
  JobWorld world = running();
  say(world, "e-0");
  world.settle();
  EXPECT_EQ(world.checkpoint_requests_.size(), 1U);
  const kube::Time begun = world.now_;
  for (int i = 1; i <= 200; ++i) {
    world.now_ += seconds(3);
    say(world, "e-" + std::to_string(i));
    world.settle();
  }
  const auto windows = (world.now_ - begun) / interruption::kBetweenHints;
  EXPECT_EQ(world.checkpoint_requests_.size(), 1U + static_cast<std::size_t>(windows));
}

// The record alone says that a checkpoint was asked for; a kubelet may have cut it off, or nobody could write it.
TEST(Hints, a_trainer_that_ends_with_0_after_a_request_is_not_done_where_no_record_says_so) {
  JobWorld world = running();
  say(world, "e-0");
  world.settle();
  world.exit("fit-1-0", 0, R"({"attempt":1,"index":0,"exitCode":0,"fin)");
  controllers::testing::to_next_attempt(world);
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.state("Complete"), "False/NotFinished");
  world.run_on("fit-2-0", "node-b");
  world.settle();
  world.exit("fit-2-0", 0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed") << "nobody asked this one";
}

TEST(Hints, one_that_came_too_soon_is_heeded_when_the_time_has_passed) {
  JobWorld world = running();
  say(world, "e-0");
  world.settle();
  world.now_ += seconds(1);
  say(world, "e-1");
  const auto plan = world.reconcile();
  EXPECT_EQ(world.checkpoint_requests_.size(), 1U);
  ASSERT_TRUE(plan.wake_at);
  world.now_ = *plan.wake_at;
  world.settle();
  ASSERT_EQ(world.checkpoint_requests_.size(), 2U);
  EXPECT_EQ(world.checkpoint_requests_.back().id, "e-1");
}

// A trainer that ends for the request is started anew, and its new pod was never asked.
TEST(Hints, the_pod_that_was_asked_may_be_gone_and_the_node_is_spared_all_the_same) {
  JobWorld world = running();
  say(world, "e-0");
  world.settle();
  world.exit("fit-1-0", 85);
  world.settle();
  world.stop_deleted(85);
  world.settle();
  world.now_ += seconds(30);
  world.settle();
  ASSERT_EQ(world.status().attempt, 2);
  world.run_on("fit-2-0", "node-of-fit-1-0");
  world.settle();
  world.deleted_pods_.clear();  // the operator remembers them for some minutes alone
  world.now_ += seconds(5);
  say(world, "e-1");
  world.settle();
  EXPECT_EQ(world.checkpoint_requests_.size(), 1U);
  world.now_ += interruption::kBetweenHints;
  world.settle();
  EXPECT_EQ(world.checkpoint_requests_.size(), 2U);
}

TEST(Hints, of_unknown_reporters_ask_nothing) {
  JobWorld world = running();
  say(world, "e-0", "mallory");
  world.settle();
  EXPECT_TRUE(world.checkpoint_requests_.empty());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
