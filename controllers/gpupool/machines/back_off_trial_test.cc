// After a pause one machine is tried beside those that are there, until one is useful or nobody wants any.
#include "controllers/gpupool/machines/back_off.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/testing/failing_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::FailingPool;
using testing::row;

TEST(BackOff, nothing_is_counted_of_a_capacity_type_that_the_pool_has_no_more) {
  FailingPool pool;
  pool.launch("a", "on-demand").pass();
  pool.edit([](api::GpuPool& p) {
    p.spec.capacity.pop_back();
    ++p.meta.generation;
  });
  pool.is_deleted("a").pass();
  EXPECT_TRUE(pool.seen_.pool->status.startup.back_off.empty());
}

// The price list knows only the smallest of EC2's V100 machines, and nobody knows how large another cloud's are.
TEST(BackOff, the_machine_that_is_tried_may_be_as_large_as_any_that_the_pool_rents) {
  FailingPool listed([](api::GpuPool& p) {
    p.spec.gpu.models = {"v100"};
    p.spec.instance_types.clear();
  });
  listed.fails("a");
  EXPECT_EQ(listed.limit(), "0");
  listed.pass_after(minutes(1));
  EXPECT_EQ(listed.limit(), "8") << "p3.16xlarge";
  EXPECT_EQ(listed.limit("nodes"), "1");
  for (const char* group : {"karpenter.azure.com", "karpenter.k8s.gcp"}) {
    FailingPool unknown([&](api::GpuPool& p) {
      p.spec.instance_types.clear();
      p.spec.node_class_ref->group = group;
    });
    unknown.fails("a");
    EXPECT_EQ(unknown.limit(), "0") << group;
    unknown.pass_after(minutes(1));
    EXPECT_EQ(unknown.limit(), "16") << group;
    EXPECT_EQ(unknown.limit("nodes"), "1") << group;
  }
  FailingPool newer([](api::GpuPool& p) { p.spec.instance_types = {"p9.48xlarge"}; });
  newer.fails("a");
  newer.pass_after(minutes(1));
  EXPECT_EQ(newer.limit(), "16");
}

TEST(BackOff, a_pause_that_could_not_be_written_is_called_none) {
  FailingPool pool;
  Plan plan = pool.fails("a");
  const auto said = [&] { return std::string(find_condition(plan.status.conditions, "CapacityAvailable")->message); };
  show_rejection(pool.seen_, "FailedCreate", "change NodePool t4-on-demand: denied by a webhook", plan);
  EXPECT_THAT(said(), ::testing::StartsWith("NodePool t4-spot: 1 machine in 1 try never became useful"));
  show_rejection(pool.seen_, "FailedCreate", "change NodePool t4-spot: denied by a webhook", plan);
  EXPECT_THAT(said(), ::testing::HasSubstr("further ones may be rented: change NodePool t4-spot: denied by a webhook"));
}

// A taint stays that Karpenter waits for, and pods tolerate it.
TEST(BackOff, a_machine_that_is_used_and_not_called_initialised_counts_beside_the_one_that_is_tried) {
  FailingPool pool;
  pool.launch("old").registers("old");
  auto pod = std::make_shared<kube::Pod>();
  pod->node_name = "node-old";
  pod->phase = kube::PodPhase::Running;
  pod->resource_requests = {{"nvidia.com/gpu", "1"}};
  pool.seen_.pods = {pod};
  pool.pass();
  pool.after(hours(1)).fails("a");
  pool.pass_after(minutes(1));
  EXPECT_EQ(pool.limit(), "8");
  EXPECT_EQ(pool.limit("nodes"), "2");
}

TEST(BackOff, a_machine_that_is_on_its_way_out_is_no_sign_that_the_next_one_is_useful) {
  FailingPool pool;
  pool.fails("a");
  pool.after(minutes(2)).launch("b").registers("b").pass();
  pool.pass_after(minutes(10));
  ASSERT_EQ(row(pool).tries, 2);
  auto pod = std::make_shared<kube::Pod>();  // its images were there a moment too late; it is drained
  pod->node_name = "node-b";
  pod->phase = kube::PodPhase::Running;
  pod->resource_requests = {{"nvidia.com/gpu", "1"}};
  pool.seen_.pods = {pod};
  pool.pass_after(seconds(5));
  EXPECT_EQ(row(pool).tries, 2);
  EXPECT_EQ(pool.limit(), "0");
}

// One machine was called back while it booted, and on demand serves since: nobody wants another one of spot.
TEST(BackOff, is_forgotten_when_nobody_has_wanted_a_machine_for_as_long_as_the_longest_pause) {
  FailingPool pool;
  pool.fails("a");
  Plan plan = pool.pass_after(minutes(1));
  EXPECT_EQ(plan.wake_at, row(pool).next_time + hours(6));
  pool.pass_after(hours(6) - seconds(1));
  EXPECT_EQ(pool.state("CapacityAvailable"), "False/InitializationDeadlineExceeded");
  pool.pass_after(seconds(1));
  EXPECT_EQ(pool.state("CapacityAvailable"), "True/NoShortageSeen");
  EXPECT_EQ(pool.limit(), "16");
  EXPECT_EQ(pool.limit("nodes"), "-");
}

TEST(BackOff, is_not_forgotten_while_a_machine_is_tried) {
  FailingPool pool;
  pool.fails("a");
  pool.after(hours(6)).launch("b").pass();
  pool.pass_after(minutes(5));
  EXPECT_EQ(pool.limit("nodes"), "1");
  pool.pass_after(minutes(5));
  EXPECT_EQ(row(pool).tries, 2);
}

// The sharing is edited in a pause: the limit of the former resource must not stay at 0 for as long as a machine has
// it.
TEST(BackOff, a_pool_whose_sharing_is_edited_in_a_pause_goes_on) {
  FailingPool pool([](api::GpuPool& p) {
    p.spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = 4, .mig_devices = {}, .external = {}};
    p.status.resource_name = "nvidia.com/gpu.shared";
  });
  pool.launch("old").pass();
  pool.becomes_useful("old").pass();
  pool.seen_.nodes = {controllers::testing::MakeNode("node-old")
                          .with([](kube::Node& node) {
                            node.capacity = {{"nvidia.com/gpu", "0"}, {"nvidia.com/gpu.shared", "16"}};
                          })
                          .get()};
  pool.after(hours(1)).fails("a");
  ASSERT_EQ(pool.limit("nvidia.com/gpu.shared"), "0");
  pool.edit([](api::GpuPool& p) {
    p.spec.sharing = {};
    ++p.meta.generation;
  });
  pool.pass();
  EXPECT_EQ(pool.limit("nvidia.com/gpu"), "12");
  EXPECT_EQ(pool.limit("nvidia.com/gpu.shared"), "16") << "what is there, and no more";
}

}  // namespace
}  // namespace reprise::controllers::gpupool
