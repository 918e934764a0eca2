// Machines that stand ready while the pods that wait for them find no place there are of no use, and cost as much.
#include "controllers/gpupool/machines/bound_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "controllers/gpupool/testing/failing_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::FailingPool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<kube::Pod> pod_of(const std::string& name, const FailingPool& pool) {
  auto pod = std::make_shared<kube::Pod>();
  pod->meta.namespace_ = "vision";
  pod->meta.name = name;
  pod->meta.creation_timestamp = pool.seen_.now;
  pod->phase = kube::PodPhase::Pending;
  pod->resource_requests = {{"nvidia.com/gpu", "1"}};
  return pod;
}

// Two pods have waited for a while.
struct WantedPool : FailingPool {
  WantedPool() {
    seen_.waiting = {pod_of("a", *this), pod_of("b", *this)};
    after(minutes(2));
  }
  // Initialised, and given back since it is empty.
  Plan stands_idle(const std::string& name) {
    launch(name).pass();
    after(minutes(2)).becomes_useful(name).pass();
    after(minutes(1)).is_deleted(name);
    Plan plan = pass();
    is_gone(name).pass();
    return plan;
  }
  [[nodiscard]] const api::PoolStartupStatus& startup() const { return seen_.pool->status.startup; }
};

TEST(BoundPods, a_machine_that_stood_ready_and_idle_while_pods_waited_has_failed) {
  WantedPool pool;
  const Plan plan = pool.stands_idle("a");
  ASSERT_EQ(plan.announcements.size(), 1U);
  EXPECT_EQ(plan.announcements[0].reason, "MachineNeverUseful");
  ASSERT_EQ(pool.startup().back_off.size(), 1U);
  EXPECT_EQ(pool.startup().back_off[0].reason, "NothingBound");
  EXPECT_EQ(pool.limit("nodes"), "0");
  EXPECT_EQ(pool.state("CapacityAvailable"), "False/InitializationDeadlineExceeded");
}

TEST(BoundPods, that_the_next_one_is_ready_too_ends_no_pause) {
  WantedPool pool;
  for (int tries = 1; tries <= 5; ++tries) {
    pool.stands_idle("m" + std::to_string(tries));
    ASSERT_EQ(pool.startup().back_off.size(), 1U) << tries;
    EXPECT_EQ(pool.startup().back_off[0].tries, tries);
    pool.after(hours(5));
  }
  EXPECT_EQ(pool.state("Stalled"), "False/Progressing") << "the pool may still rent on demand";
}

TEST(BoundPods, one_pod_that_finds_its_place_ends_the_pause) {
  WantedPool pool;
  pool.stands_idle("a");
  pool.after(minutes(1)).launch("b").pass();
  pool.after(minutes(2)).becomes_useful("b").pass();
  EXPECT_FALSE(pool.startup().back_off.empty());
  auto placed = pod_of("a", pool);
  placed->node_name = "node-b";
  pool.seen_.pods.push_back(placed);
  pool.pass();
  EXPECT_THAT(pool.startup().back_off, IsEmpty());
  EXPECT_THAT(pool.startup().starting, IsEmpty());
  pool.seen_.pods.clear();
  pool.is_deleted("b").pass();
  EXPECT_THAT(pool.startup().back_off, IsEmpty()) << "it was of use";
}

TEST(BoundPods, a_machine_that_nobody_waits_for_any_more_may_go) {
  WantedPool pool;
  pool.launch("a").pass();
  pool.after(minutes(2)).becomes_useful("a").pass();
  EXPECT_EQ(pool.startup().starting.size(), 1U);
  pool.seen_.waiting.clear();
  pool.after(minutes(1)).is_deleted("a").pass();
  EXPECT_THAT(pool.startup().back_off, IsEmpty());
  EXPECT_THAT(pool.startup().starting, IsEmpty());
}

TEST(BoundPods, a_pod_that_has_just_been_made_is_about_to_be_placed) {
  WantedPool pool;
  pool.launch("a").pass();
  pool.after(minutes(2)).becomes_useful("a").pass();
  pool.seen_.waiting = {pod_of("new", pool)};
  pool.after(seconds(20)).is_deleted("a").pass();
  EXPECT_THAT(pool.startup().back_off, IsEmpty());
}

TEST(BoundPods, who_waits_for_another_capacity_type_is_no_matter_of_this_machine) {
  WantedPool pool;
  auto waiting = pod_of("a", pool);
  waiting->meta.creation_timestamp = pool.seen_.now - minutes(5);
  waiting->node_selector = {{"karpenter.sh/capacity-type", "on-demand"}};
  pool.seen_.waiting = {waiting};
  pool.stands_idle("a");
  EXPECT_THAT(pool.startup().back_off, IsEmpty());
}

TEST(BoundPods, a_taint_that_the_pool_does_not_know_is_named) {
  WantedPool pool;
  pool.launch("a").pass();
  pool.after(minutes(2)).becomes_useful("a").pass();
  auto node = std::make_shared<kube::Node>();
  node->meta.name = "node-a";
  node->taints = {{"karpenter.sh/disrupted", "", "NoSchedule"}, {"example.com/agent-not-ready", "", "NoSchedule"}};
  pool.seen_.nodes.push_back(node);
  pool.after(minutes(1)).is_deleted("a").pass();
  ASSERT_EQ(pool.startup().back_off.size(), 1U);
  EXPECT_THAT(pool.startup().back_off[0].message, HasSubstr("the taint example.com/agent-not-ready:NoSchedule"));
  EXPECT_THAT(pool.message("CapacityAvailable"), HasSubstr("spec.startupTaints"));
}

TEST(BoundPods, without_a_taint_the_schedulers_words_are_told) {
  WantedPool pool;
  auto waiting = pod_of("a", pool);
  waiting->meta.creation_timestamp = pool.seen_.now - minutes(5);
  waiting->conditions = {{"PodScheduled", "False", "Unschedulable", "0/3 nodes are available: 3 Insufficient memory."}};
  pool.seen_.waiting = {waiting};
  pool.stands_idle("a");
  ASSERT_EQ(pool.startup().back_off.size(), 1U);
  EXPECT_THAT(pool.startup().back_off[0].message, HasSubstr("of pod vision/a: 0/3 nodes are available"));
}

// A job without spec.poolName, a notebook: Karpenter asks nobody who named which pool.
struct WantedByOthers : WantedPool {
  explicit WantedByOthers(auto&& change) {
    auto pod = pod_of("a", *this);
    pod->meta.creation_timestamp = seen_.now - minutes(2);
    pod->tolerated_taints = {"nvidia.com/gpu"};
    change(*pod);
    seen_.waiting.clear();
    seen_.waiting_anywhere = {pod};
  }
  bool fails() {
    stands_idle("a");
    return !startup().back_off.empty();
  }
};

TEST(BoundPods, a_pod_that_names_no_pool_waits_for_each_that_it_may_run_on) {
  EXPECT_TRUE(WantedByOthers([](auto&) {}).fails());
  EXPECT_TRUE(WantedByOthers([](kube::Pod& p) { p.tolerated_taints = {""}; }).fails());
  EXPECT_TRUE(WantedByOthers([](kube::Pod& p) { p.node_selector = {{"karpenter.sh/nodepool", "t4-spot"}}; }).fails());
  EXPECT_TRUE(WantedByOthers([](kube::Pod& p) { p.node_selector = {{"topology.kubernetes.io/zone", "b"}}; }).fails());
}

TEST(BoundPods, a_pod_that_may_not_run_there_waits_for_somebody_else_s_machines) {
  EXPECT_FALSE(WantedByOthers([](kube::Pod& p) { p.tolerated_taints.clear(); }).fails());
  EXPECT_FALSE(WantedByOthers([](kube::Pod& p) { p.tolerated_taints = {"team"}; }).fails());
  EXPECT_FALSE(WantedByOthers([](kube::Pod& p) { p.resource_requests = {{"amd.com/gpu", "1"}}; }).fails());
  EXPECT_FALSE(WantedByOthers([](kube::Pod& p) { p.node_selector = {{"team", "vision"}}; }).fails());
  EXPECT_FALSE(WantedByOthers([](kube::Pod& p) { p.node_selector = {{"karpenter.sh/nodepool", "else"}}; }).fails());
  EXPECT_FALSE(WantedByOthers([](kube::Pod& p) {
                 p.node_selector = {{"node.kubernetes.io/instance-type", "p5.48xlarge"}};
               }).fails());
}

TEST(BoundPods, an_operator_that_does_not_see_every_pod_believes_karpenter) {
  WantedPool pool;
  pool.launch("a").pass();
  pool.after(minutes(2)).becomes_useful("a");
  const Plan plan = decide(pool.seen_, {.is_every_pod_seen = false});
  EXPECT_THAT(plan.status.startup.starting, IsEmpty());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
