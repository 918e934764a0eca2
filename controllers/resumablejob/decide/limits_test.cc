// A job's cost limit: at spec.placement.maxCost it is suspended, and goes on when that is raised.
#include <gtest/gtest.h>

#include "controllers/resumablejob/status/cost_limit.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

void price(JobWorld& world, const char* per_hour) {
  for (auto& [name, node] : world.nodes_) {
    node.allocatable = {{"nvidia.com/gpu", "1"}};
    node.meta.labels["eks-node-viewer/instance-price"] = per_hour;
  }
  for (auto& [name, pod] : world.pods_) pod.resource_requests = {{"nvidia.com/gpu", "1"}};
}

void start(JobWorld& world) {
  world.settle();
  world.schedule_all();
  price(world, "2.00");
  world.settle();
}

JobWorld started(const char* max_cost) {
  JobWorld world(MakeJob("fit")
                     .with([&](api::ResumableJob& job) {
                       job.spec.placement.emplace();
                       job.spec.placement->max_cost = max_cost;
                     })
                     .get());
  start(world);
  return world;
}

void end(JobWorld& world) {
  world.settle();
  world.stop_deleted(143);
  world.settle();
}

TEST(MaxCost, suspends_the_job_once_it_has_cost_so_much_and_its_trainers_save_first) {
  JobWorld world = started("10.00");
  world.now_ += std::chrono::hours(5) - std::chrono::seconds(1);
  world.settle();
  EXPECT_FALSE(world.status().attempt_end);
  world.now_ += std::chrono::seconds(1);
  world.settle();
  ASSERT_TRUE(world.status().attempt_end);
  EXPECT_EQ(world.status().attempt_end->cause, api::AttemptEndCause::Suspended);
  EXPECT_TRUE(world.pod("fit-1-0").meta.deletion_timestamp);
  end(world);
  EXPECT_EQ(world.state("Suspended"), "True/MaxCostReached");
  EXPECT_EQ(world.state("PodsReady"), "False/Suspended");
  EXPECT_EQ(world.status().cost->spent, "10.00");
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 0);
}

TEST(MaxCost, is_looked_at_when_it_is_reached_though_nothing_else_happens) {
  JobWorld world = started("10.00");
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + std::chrono::hours(5));
}

TEST(MaxCost, holds_until_it_is_raised_and_nothing_is_written_meanwhile) {
  JobWorld world = started("10.00");
  world.now_ += std::chrono::hours(5);
  end(world);
  const api::ResumableJobStatus suspended = world.status();
  world.now_ += std::chrono::hours(100);
  EXPECT_FALSE(world.reconcile().wake_at);
  EXPECT_EQ(world.status(), suspended);
  world.job_.spec.placement->max_cost = "12.00";
  start(world);
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.state("Suspended"), "False/Resumed");
  world.now_ += std::chrono::hours(1);
  end(world);
  EXPECT_EQ(world.state("Suspended"), "True/MaxCostReached");
  EXPECT_EQ(world.status().cost->spent, "12.00");
}

TEST(MaxCost, counts_what_earlier_attempts_have_cost) {
  JobWorld world = started("10.00");
  world.now_ += std::chrono::hours(4);
  world.exit("fit-1-0", 85);
  world.settle();
  world.now_ += std::chrono::hours(1);  // no pod runs
  start(world);
  ASSERT_EQ(world.status().attempt, 2);
  world.now_ += std::chrono::minutes(61);
  end(world);
  EXPECT_EQ(world.state("Suspended"), "True/MaxCostReached");
}

TEST(MaxCost, ends_no_job_that_is_complete) {
  JobWorld world = started("10.00");
  world.now_ += std::chrono::hours(5);
  world.exit("fit-1-0", 0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

TEST(MaxCost, that_a_process_reaches_which_dies_after_every_write_is_reached_once) {
  JobWorld world = started("10.00");
  world.now_ += std::chrono::hours(5);
  world.settle_with_crashes();
  world.stop_deleted(143);
  world.settle_with_crashes();
  EXPECT_EQ(world.state("Suspended"), "True/MaxCostReached");
  EXPECT_EQ(world.status().cost->spent, "10.00");
}

TEST(MaxCost, of_what_costs_nothing_is_never_reached) {
  api::ResumableJobSpec spec;
  spec.placement.emplace();
  spec.placement->max_cost = "10.00";
  api::ResumableJobStatus status;
  EXPECT_FALSE(cost_limit_reached_at(spec, status));
  status.cost.emplace();
  status.cost->spent = "9.99";
  status.cost->counted_time = controllers::testing::kStart;
  EXPECT_FALSE(cost_limit_reached_at(spec, status)) << "nothing runs";
  status.cost->per_hour = "0.0001";
  EXPECT_EQ(cost_limit_reached_at(spec, status), controllers::testing::kStart + std::chrono::hours(100));
  spec.placement->max_cost = "9999999999.99";
  EXPECT_GT(cost_limit_reached_at(spec, status), controllers::testing::kStart) << "no overflow";
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
