// The operator's clock and the API server's are two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::running_job;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Clocks, an_operator_whose_clock_is_ahead_does_not_take_a_node_that_is_saving_for_silent) {
  JobWorld world = running_job();
  world.job_.spec.suspend = true;
  world.settle();
  const auto deletion = *world.pod("fit-1-0").meta.deletion_timestamp;
  world.pods_.at("fit-1-0").meta.deletion_timestamp = deletion - std::chrono::minutes(10);  // by the API server's clock
  world.settle();
  world.now_ = deletion + std::chrono::seconds(29);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
  world.now_ += std::chrono::seconds(1);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0"));
}

// A tenant may write any grace into the pod template: no sum with it may come out as a time that has passed.
TEST(Clocks, a_grace_without_measure_makes_no_node_silent) {
  JobWorld world = running_job();
  world.job_.spec.suspend = true;
  world.settle();
  world.pods_.at("fit-1-0").termination_grace_period_seconds = std::numeric_limits<std::int64_t>::max();
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
}

TEST(Clocks, a_deadline_that_has_passed_by_the_operator_s_clock_leaves_the_trainer_its_whole_grace) {
  JobWorld world = running_job();
  world.nodes_.at("node-of-fit-1-0").taints.push_back({"karpenter.sh/disrupted", "", "NoSchedule"});
  world.node_claims_.at("node-of-fit-1-0").meta.annotations["karpenter.sh/nodeclaim-termination-timestamp"] =
      kube::format_time(world.now_ - std::chrono::minutes(10));
  // By the API server's clock, which is ten minutes behind.
  world.pods_.at("fit-1-0").meta.creation_timestamp = world.now_ - std::chrono::minutes(11);
  world.settle();
  ASSERT_TRUE(world.pod("fit-1-0").meta.deletion_timestamp);
  EXPECT_EQ(*world.pod("fit-1-0").meta.deletion_timestamp - world.now_,
            std::chrono::seconds(*world.pod("fit-1-0").termination_grace_period_seconds));
}

TEST(Clocks, a_notice_leaves_the_trainer_as_much_time_however_far_the_operator_s_clock_is_ahead) {
  for (const auto ahead : {std::chrono::seconds(0), std::chrono::seconds(60), std::chrono::seconds(600)}) {
    JobWorld world = running_job();
    world.delete_node_claim("node-of-fit-1-0");
    // Both by the API server's clock.
    world.pods_.at("fit-1-0").meta.creation_timestamp = world.now_ - ahead - std::chrono::minutes(1);
    world.node_claims_.at("node-of-fit-1-0").meta.deletion_timestamp = world.now_ - ahead;
    world.settle();
    EXPECT_EQ(*world.pod("fit-1-0").meta.deletion_timestamp - world.now_, std::chrono::seconds(115));
    EXPECT_EQ(world.status().last_interruption->notice_seconds, 120);
  }
}

// The one that led has written why the attempt ends, and not deleted its pods yet.
TEST(Clocks, a_replica_that_takes_over_leaves_the_trainer_as_much_time_however_far_its_clock_is_ahead) {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.reconcile();
  world.pods_.at("fit-1-0").meta.deletion_timestamp.reset();
  world.forget_deleted_pods();
  world.now_ += std::chrono::seconds(60);
  world.settle();
  EXPECT_EQ(*world.pod("fit-1-0").meta.deletion_timestamp - world.now_, std::chrono::seconds(115));
}

// The deleted pod's node goes nowhere, so neither do its peers'.
TEST(Clocks, peers_of_a_pod_that_somebody_deletes_have_their_whole_grace) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(120) - std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(*world.pod("fit-1-1").meta.deletion_timestamp - world.now_,
            std::chrono::seconds(*world.pod("fit-1-1").termination_grace_period_seconds));
}

JobWorld with_one_bound_of_two(std::chrono::seconds api_server_is_ahead) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  for (auto& [name, pod] : world.pods_) pod.meta.creation_timestamp = world.now_ + api_server_is_ahead;
  world.run_on("fit-1-0", "node-a");
  world.settle();
  return world;
}

TEST(Clocks, a_gang_has_its_time_to_become_ready_whatever_the_api_server_s_clock_says) {
  for (const auto ahead : {std::chrono::hours(-2), std::chrono::hours(2)}) {
    JobWorld world = with_one_bound_of_two(ahead);
    world.now_ += std::chrono::seconds(1799);
    world.settle();
    EXPECT_FALSE(world.status().attempt_end) << ahead.count();
    world.now_ += std::chrono::seconds(1);
    world.settle();
    EXPECT_TRUE(world.status().attempt_end) << ahead.count();
  }
}

TEST(Clocks, preemption_of_a_standby_pod_has_its_minute_whatever_the_api_server_s_clock_says) {
  for (const auto ahead : {std::chrono::hours(-2), std::chrono::hours(2)}) {
    JobWorld world = running_job();
    world.delete_node_claim("node-of-fit-1-0");
    world.settle();
    world.run_on("fit-1-0-standby", "node-in-another-zone");
    world.stop_deleted(143);
    for (int i = 0; i < 10 && !world.has_pod("fit-2-0"); ++i) world.reconcile();
    ASSERT_TRUE(world.has_pod("fit-2-0"));
    world.pods_.at("fit-2-0").meta.creation_timestamp = world.now_ + ahead;
    world.settle();
    EXPECT_FALSE(world.pod("fit-1-0-standby").meta.deletion_timestamp) << ahead.count();
    world.now_ += std::chrono::seconds(60);
    world.settle();
    world.stop_deleted(0);
    EXPECT_FALSE(world.has_pod("fit-1-0-standby")) << ahead.count();
  }
}

// A replica that leads now and whose clock is behind that of the one before.
TEST(Clocks, a_pause_that_another_replica_s_clock_has_set_lasts_no_longer_than_any_pause) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 1);
  world.settle();
  ASSERT_EQ(world.status().attempt, 1);
  world.now_ -= std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

// Both clocks go on by a minute, and the time of day is set meanwhile.
TEST(Clocks, whoever_waits_has_waited_no_longer_when_the_time_of_day_is_set) {
  const Looked before{.wall = controllers::testing::kStart, .steady = runtime::Instant(std::chrono::hours(5))};
  const kube::Time since = before.wall - std::chrono::seconds(20);
  const auto waited = [&](std::chrono::seconds set_by) {
    const Looked now{.wall = before.wall + std::chrono::minutes(1) + set_by,
                     .steady = before.steady + std::chrono::minutes(1)};
    const FirstSeen waits = as_set({{{Waiting::ForTheNextHint, "node/id"}, since}}, before, now);
    return now.wall - waits.begin()->second;
  };
  EXPECT_EQ(waited(std::chrono::seconds(0)), std::chrono::seconds(80));
  EXPECT_EQ(waited(std::chrono::seconds(300)), std::chrono::seconds(80));
  EXPECT_EQ(waited(std::chrono::seconds(-300)), std::chrono::seconds(80));
  EXPECT_EQ(waited(std::chrono::seconds(1)), std::chrono::seconds(81)) << "what is not known to the second";
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
