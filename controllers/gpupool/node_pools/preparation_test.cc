// Nodes of a pool that are not useful yet, or never will be, because of what has to be done to their GPUs.
#include "controllers/gpupool/sharing/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeNode;
using controllers::testing::MakePool;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::shared_ptr<const api::GpuPool> partitioned() {
  return MakePool("a100")
      .with([](auto& pool) {
        pool.spec.gpu.models = {"a100"};
        pool.spec.instance_types = {"p4d.24xlarge"};
        pool.spec.sharing.mode = api::SharingMode::MIG;
        pool.spec.sharing.mig_devices = {{"1g.5gb", 7}};
      })
      .get();
}

// Empty: nobody has said anything of it.
std::shared_ptr<const kube::Node> node(std::string name, const std::string& state, const std::string& partitions) {
  return MakeNode(std::move(name))
      .with([&](auto& made) {
        made.meta.labels["nvidia.com/mig.config"] = "all-1g.5gb";
        made.meta.labels["node.kubernetes.io/instance-type"] = "p4d.24xlarge";
        if (!state.empty()) made.meta.labels["nvidia.com/mig.config.state"] = state;
        if (!partitions.empty()) made.allocatable = {{"nvidia.com/mig-1g.5gb", partitions}};
      })
      .get();
}

// Karpenter uses what the pool has written.
Observation settled(std::vector<std::shared_ptr<const kube::Node>> nodes) {
  Observation seen;
  seen.pool = partitioned();
  seen.now = kStart;
  seen.nodes = std::move(nodes);
  for (const api::NodeOverlay& wanted : desired_overlays(*seen.pool)) {
    auto made = std::make_shared<api::NodeOverlay>(wanted);
    made->conditions = {{"Ready", "True", "", ""}};
    seen.overlays.push_back(made);
  }
  return seen;
}

const kube::Condition& said_of(const Plan& plan) {
  return *find_condition(plan.status.conditions, "SharingConfigured");
}

// The plugin has started before all were cut, say.
TEST(Preparation, partitions_that_are_missing_in_part_are_counted) {
  const auto with = [](const std::string& name, const std::string& partitions, bool is_initialized = true) {
    auto made = std::make_shared<kube::Node>(*node(name, "success", partitions));
    made->capacity = made->allocatable;
    if (is_initialized) made->meta.labels["karpenter.sh/initialized"] = "true";
    return std::shared_ptr<const kube::Node>(made);
  };
  const auto said = [](std::vector<std::shared_ptr<const kube::Node>> nodes) {
    return missing_units(*partitioned(), nodes);
  };
  EXPECT_EQ(said({with("a", "56")}), "");
  EXPECT_EQ(said({with("a", "")}), "") << "it shows none for the moment";
  EXPECT_EQ(said({with("a", "24", false)}), "") << "it is on its way";
  EXPECT_THAT(said({with("b", "24"), with("a", "55"), with("c", "56")}),
              AllOf(HasSubstr("node a offers 55 of 56 nvidia.com/mig-1g.5gb: 1 are missing"), HasSubstr("1 more")));
  EXPECT_THAT(said({with("b", "24")}), HasSubstr("32 are missing"));
}

TEST(Preparation, follows_what_the_mig_manager_says_of_the_node) {
  const api::Sharing sharing = partitioned()->spec.sharing;
  EXPECT_EQ(preparation_of(sharing, *node("a", "success", "56")), Preparation::Done);
  EXPECT_EQ(preparation_of(sharing, *node("a", "failed", "56")), Preparation::Failed);
  EXPECT_EQ(preparation_of(sharing, *node("a", "pending", "56")), Preparation::Underway);
  EXPECT_EQ(preparation_of(sharing, *node("a", "rebooting", "")), Preparation::Underway);
  EXPECT_EQ(preparation_of(sharing, *node("a", "", "")), Preparation::Underway);
  EXPECT_EQ(preparation_of(sharing, *node("a", "", "56")), Preparation::Done) << "cut by somebody else";
}

TEST(Preparation, is_nothing_that_slices_wait_for) {
  const auto sliced = MakePool("t4").time_slicing(4).get();
  EXPECT_EQ(preparation_of(sliced->spec.sharing, *node("a", "failed", "")), Preparation::Done);
}

TEST(Preparation, only_partitions_of_nodes_that_are_done_count_as_units) {
  const Plan plan = decide(settled({node("a", "success", "56"), node("b", "pending", "56"),
                                    node("c", "rebooting", "56"), node("d", "failed", "56")}));
  EXPECT_EQ(plan.status.units, (api::UnitsStatus{56, 0}));
  EXPECT_EQ(plan.status.capacity[0].nodes, 4) << "all are paid for";
}

TEST(Preparation, a_node_that_failed_is_named_with_what_to_do_and_leaves_the_pool_ready) {
  const Plan before = decide(settled({node("a", "pending", "")}));
  EXPECT_EQ(said_of(before).status, kube::ConditionStatus::True);
  const Plan plan = decide(settled({node("c", "failed", ""), node("a", "success", "56"), node("b", "failed", "")}));
  EXPECT_EQ(said_of(plan).status, kube::ConditionStatus::False);
  EXPECT_EQ(said_of(plan).reason, "NodeSharingFailed");
  EXPECT_THAT(said_of(plan).message,
              AllOf(HasSubstr("node b: label nvidia.com/mig.config.state: found failed, must become success"),
                    HasSubstr("nvidia.com/mig.config=all-1g.5gb"), HasSubstr("delete the node"), HasSubstr("1 more")));
  EXPECT_EQ(find_condition(plan.status.conditions, "Ready")->reason,
            find_condition(before.status.conditions, "Ready")->reason);
  EXPECT_EQ(plan.status.resource_name, "nvidia.com/mig-1g.5gb") << "jobs find other nodes";
}

}  // namespace
}  // namespace reprise::controllers::gpupool
