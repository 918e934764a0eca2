// A pool that by numbers can rent nothing must not look ready, whatever its sharing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeNodeClaim;
using controllers::testing::MakePool;
using ::testing::HasSubstr;

// With its NodePools as it wants them, and Karpenter content.
Observation at_rest(std::shared_ptr<const api::GpuPool> pool) {
  Observation seen{.pool = std::move(pool)};
  seen.now = kStart;
  std::vector<api::NodePool> node_pools = desired_node_pools(*seen.pool).value();
  for (api::NodePool& each : node_pools) {
    each.conditions = {{.type = "Ready", .status = "True", .reason = "Ready", .message = {}}};
    seen.node_pools.emplace(each.meta.name, std::make_shared<api::NodePool>(each));
  }
  return seen;
}

const kube::Condition* said(const Plan& plan, std::string_view type) {
  return find_condition(plan.status.conditions, type);
}

std::shared_ptr<const api::GpuPool> pool_with(auto change) {
  return MakePool("t4").with([&](api::GpuPool& pool) { change(pool.spec); }).get();
}

TEST(RentsNothing, an_exclusive_pool_of_which_no_type_fits_is_stalled_and_names_the_fields) {
  const Plan plan = decide(at_rest(pool_with([](auto& spec) {
    spec.gpu.models = {"a100"};
    spec.instance_types = {"g4dn.xlarge"};
  })));
  ASSERT_NE(said(plan, "Stalled"), nullptr);
  EXPECT_EQ(said(plan, "Stalled")->reason, "NoInstanceType");
  EXPECT_EQ(said(plan, "Ready")->status, kube::ConditionStatus::False);
  EXPECT_THAT(std::string(said(plan, "Ready")->message), HasSubstr("spec.instanceTypes: found [g4dn.xlarge]"));
}

TEST(RentsNothing, a_limit_below_one_machine_is_a_stall_of_its_own) {
  const Plan plan = decide(at_rest(pool_with([](auto& spec) {
    spec.gpu.counts_per_node = {8};
    spec.capacity.front().max_gpus = 4;
  })));
  ASSERT_NE(said(plan, "Stalled"), nullptr);
  EXPECT_EQ(said(plan, "Stalled")->reason, "LimitBelowOneNode");
  EXPECT_EQ(plan.status.resource_name, "nvidia.com/gpu") << "what runs there goes on";
}

TEST(RentsNothing, a_limit_of_money_below_one_machine_is_a_stall_of_its_own) {
  Observation seen = at_rest(pool_with([](auto& spec) {
    spec.instance_types = {"g4dn.xlarge"};
    spec.max_cost_per_hour = "0.10";
  }));
  EXPECT_EQ(said(decide(seen), "Stalled")->reason, "CostLimitBelowOneNode");
  const std::vector<api::InstancePrice> cluster = {
      {.instance_type = "g4dn.xlarge", .capacity_type = api::CapacityType::Spot, .zone = {}, .per_hour = "0.09"}};
  seen.price_table = cluster;
  EXPECT_EQ(said(decide(seen), "Stalled")->status, kube::ConditionStatus::False) << "the cluster's prices are lower";
}

TEST(RentsNothing, a_pool_that_rents_is_ready) {
  const Plan plan = decide(at_rest(MakePool("t4").get()));
  EXPECT_EQ(said(plan, "Ready")->status, kube::ConditionStatus::True);
}

TEST(RentsNothing, a_machine_that_the_table_lacks_silences_it) {
  Observation seen = at_rest(pool_with([](auto& spec) {
    spec.gpu.models = {"h200"};
    spec.capacity.front().max_gpus = 4;  // of machines of eight, as far as this version knows
  }));
  EXPECT_EQ(said(decide(seen), "Stalled")->reason, "LimitBelowOneNode");
  seen.node_claims.push_back(
      MakeNodeClaim("t4-spot-x", "node-x")
          .with([](api::NodeClaim& claim) { claim.meta.labels["node.kubernetes.io/instance-type"] = "p9.xlarge"; })
          .get());
  EXPECT_NE(said(decide(seen), "Stalled")->reason, "LimitBelowOneNode");
}

}  // namespace
}  // namespace reprise::controllers::gpupool
