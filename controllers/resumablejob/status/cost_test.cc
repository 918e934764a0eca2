// The cost of a job so far.
#include "controllers/resumablejob/status/cost.h"

#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;

// Each node has 8 units of the pool, of which a pod holds 2.
void price(JobWorld& world, const char* per_hour) {
  for (auto& [name, node] : world.nodes_) {
    node.allocatable = {{"nvidia.com/gpu", "8"}};
    node.meta.labels["eks-node-viewer/instance-price"] = per_hour;
    node.meta.labels["node.kubernetes.io/instance-type"] = "g5.48xlarge";
  }
  for (auto& [name, pod] : world.pods_) pod.resource_requests = {{"nvidia.com/gpu", "2"}};
}

JobWorld begun(std::int32_t ranks, const char* per_hour) {
  JobWorld world(controllers::testing::MakeJob("fit").parallelism(ranks).get());
  world.settle();
  world.schedule_all();
  price(world, per_hour);
  world.settle();
  return world;
}

TEST(JobCost, a_pod_is_charged_its_share_of_its_node_while_it_runs) {
  JobWorld world = begun(2, "4.00");
  ASSERT_TRUE(world.status().cost);
  EXPECT_EQ(world.status().cost->per_hour, "2.00") << "2 pods of 2/8 of 4.00";
  world.now_ += std::chrono::hours(3);
  world.exit_all(0);
  world.settle();
  EXPECT_EQ(world.status().cost->spent, "6.00");
  EXPECT_EQ(world.status().cost->per_hour, "") << "nothing runs any more";
}

TEST(JobCost, the_same_time_on_demand_is_counted_beside_it) {
  JobWorld world = begun(1, "4.00");
  world.now_ += std::chrono::hours(2);
  world.exit_all(0);
  world.settle();
  EXPECT_EQ(world.status().cost->spent, "2.00");
  EXPECT_EQ(world.status().cost->on_demand_equivalent, "8.144") << "g5.48xlarge: 16.288 per hour, a quarter of it";
}

TEST(JobCost, is_by_the_table_of_the_cluster_where_neither_pool_nor_node_says_a_price) {
  JobWorld world(controllers::testing::MakeJob("fit").get());
  world.prices_ = {{"g5.48xlarge", api::CapacityType::Spot, "", "6.00"}};
  world.settle();
  world.schedule_all();
  price(world, "");
  world.settle();
  ASSERT_TRUE(world.status().cost);
  EXPECT_EQ(world.status().cost->per_hour, "1.50") << "a quarter of it";
}

TEST(JobCost, nothing_is_written_for_its_sake) {
  JobWorld world = begun(1, "4.00");
  const api::ResumableJobStatus before = world.status();
  world.now_ += std::chrono::hours(24);
  price(world, "5.00");
  world.settle();
  EXPECT_EQ(world.status(), before);
}

TEST(JobCost, of_a_small_slice_adds_up_however_often_its_rank_reports) {
  JobWorld world = begun(1, "0.0224");
  for (std::int64_t step = 1; step <= 120; ++step) {
    world.now_ += std::chrono::seconds(30);
    world.report("fit-1-0", {.attempt = 1, .index = 0, .progress = protocol::ReportedProgress{.step = step}});
    world.settle();
    ASSERT_EQ(world.status().progress->step, step);
  }
  world.exit_all(0);
  world.settle();
  EXPECT_EQ(world.status().cost->spent, "0.0056");
}

TEST(JobCost, a_process_that_dies_after_every_write_counts_no_time_twice) {
  JobWorld world = begun(1, "4.00");
  world.now_ += std::chrono::hours(1);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle_with_crashes();
  world.now_ += std::chrono::hours(1);
  world.stop_deleted(143);
  world.settle_with_crashes();
  world.forget_deleted_pods();
  world.settle_with_crashes();
  EXPECT_EQ(world.status().cost->spent, "2.00");
}

TEST(JobCost, a_machine_that_cannot_be_seen_is_paid_for_until_it_is_proven_gone) {
  JobWorld world = begun(1, "4.00");
  world.now_ += std::chrono::hours(1);
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().cost->per_hour, "1.00");
  world.now_ += std::chrono::hours(1);
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().cost->spent, "2.00");
  EXPECT_EQ(world.status().cost->per_hour, "");
}

TEST(JobCost, between_attempts_nothing_is_counted) {
  JobWorld world = begun(1, "4.00");
  world.now_ += std::chrono::hours(1);
  world.exit("fit-1-0", 1);
  world.settle();
  const auto spent = world.status().cost->spent;
  EXPECT_EQ(spent, "1.00");
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_EQ(world.status().cost->spent, spent);
}

TEST(JobCost, a_clock_that_was_set_back_takes_nothing_off) {
  JobWorld world = begun(1, "4.00");
  world.now_ += std::chrono::hours(1);
  world.exit("fit-1-0", 1);
  world.settle();
  world.now_ -= std::chrono::hours(3);
  world.job_.spec.suspend = true;
  ++world.job_.meta.generation;
  world.settle();
  EXPECT_EQ(world.status().cost->spent, "1.00");
}

TEST(JobCost, of_attempts_that_save_nothing_adds_up_until_one_has_saved) {
  JobWorld world = begun(1, "4.00");
  const auto interrupted_after_an_hour = [&](int attempt) {
    const std::string pod = "fit-" + std::to_string(attempt) + "-0";
    world.now_ += std::chrono::hours(1);
    world.delete_node_claim("node-of-" + pod);
    world.settle();
    world.stop_deleted(143, R"({"attempt":)" + std::to_string(attempt) + R"(,"index":0,"exitCode":143})");
    world.settle();
    world.forget_deleted_pods();
    world.settle();
    world.now_ += std::chrono::minutes(10);
    world.settle();
    world.schedule_all();
    price(world, "4.00");
    world.settle();
  };
  interrupted_after_an_hour(1);
  EXPECT_EQ(world.status().cost->since_checkpoint, "1.00");
  interrupted_after_an_hour(2);
  EXPECT_EQ(world.status().cost->since_checkpoint, "2.00");
  EXPECT_EQ(world.status().attempts_without_progress, 2);
  world.now_ += std::chrono::hours(1);
  world.exit("fit-3-0", 0,
             R"({"attempt":3,"index":0,"step":500,"path":"step-500","durable":true,"exitCode":0,"finished":true})");
  world.settle();
  EXPECT_EQ(world.status().cost->spent, "3.00");
  EXPECT_EQ(world.status().cost->since_checkpoint, "");
}

TEST(JobCost, is_not_shown_where_no_price_is_known) {
  JobWorld world = running_job();
  world.now_ += std::chrono::hours(1);
  world.exit_all(0);
  world.settle();
  EXPECT_FALSE(world.status().cost.has_value());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
