// A pool's report where Karpenter, or its way to learn of slices, is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/limits/gpu_limit.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/node_pools/overlays.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakePool;
using ::testing::HasSubstr;

// Everything is as the pool wants it; Karpenter has said `conditions` of the overlays.
Observation settled(std::shared_ptr<const api::GpuPool> pool, kube::List<kube::PodCondition> conditions) {
  Observation seen;
  seen.now = kStart;
  auto node_pools = desired_node_pools(*pool);
  seen.pool = pool;
  limit_gpus(seen, *node_pools);
  for (api::NodePool& node_pool : *node_pools) {
    node_pool.conditions = {{"Ready", "True", "", ""}};
    seen.node_pools[node_pool.meta.name] = std::make_shared<api::NodePool>(node_pool);
  }
  for (api::NodeOverlay& overlay : desired_overlays(*pool)) {
    overlay.meta.creation_timestamp = kStart;
    overlay.conditions = conditions;
    seen.overlays.push_back(std::make_shared<api::NodeOverlay>(overlay));
  }
  auto map = std::make_shared<kube::ConfigMap>();
  seen.pool = std::move(pool);
  for (const Action& action : decide(seen).actions) {
    if (const auto* key = std::get_if<WriteDevicePluginKey>(&action)) map->data[key->key] = key->content;
  }
  seen.device_plugin_config = map;
  return seen;
}

const kube::Condition& said(const Plan& plan, std::string_view type) {
  const kube::Condition* found = find_condition(plan.status.conditions, type);
  static const kube::Condition none;
  return found == nullptr ? none : *found;
}

void expect_false(const Plan& plan, std::string_view type, std::string_view reason, const std::string& message) {
  EXPECT_EQ(said(plan, type).status, kube::ConditionStatus::False) << type;
  EXPECT_EQ(said(plan, type).reason, reason) << type;
  EXPECT_THAT(std::string(said(plan, type).message), HasSubstr(message)) << type;
}

TEST(PoolWithoutKarpenter, says_what_to_install_and_writes_nothing) {
  Observation seen = settled(MakePool("t4").get(), {});
  seen.node_pools.clear();
  seen.missing_kinds = "nodepools.karpenter.sh (v1)";
  const Plan plan = decide(seen);
  EXPECT_TRUE(plan.actions.empty());
  for (const char* type : {"Ready", "NodePoolsSynced", "SharingConfigured", "CapacityAvailable"})
    expect_false(plan, type, "KarpenterNotInstalled", "install Karpenter");
  EXPECT_EQ(said(plan, "Stalled").status, kube::ConditionStatus::True);
  EXPECT_EQ(said(plan, "Stalled").reason, "KarpenterNotInstalled");
  ASSERT_EQ(plan.announcements.size(), 1U);
  auto pool = std::make_shared<api::GpuPool>(*seen.pool);
  pool->status = plan.status;
  seen.pool = pool;
  seen.now += std::chrono::hours(1);
  EXPECT_EQ(decide(seen).status, plan.status) << "said once";
  EXPECT_TRUE(decide(seen).announcements.empty());
}

TEST(PoolWithoutKarpenter, leaves_running_jobs_the_resource_that_they_asked_for) {
  Observation seen = settled(MakePool("t4").with([](auto& p) { p.status.resource_name = "nvidia.com/gpu"; }).get(), {});
  seen.missing_kinds = "nodeclaims.karpenter.sh (v1)";
  EXPECT_EQ(decide(seen).status.resource_name, "nvidia.com/gpu");
}

TEST(PoolWithoutKarpenter, makes_its_node_pools_when_karpenter_comes) {
  Observation seen = settled(MakePool("t4").get(), {});
  seen.node_pools.clear();
  seen.missing_kinds = "nodepools.karpenter.sh (v1)";
  auto pool = std::make_shared<api::GpuPool>(*seen.pool);
  pool->status = decide(seen).status;
  seen.pool = pool;
  seen.missing_kinds.clear();
  const Plan plan = decide(seen);
  ASSERT_EQ(plan.actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<CreateNodePool>(plan.actions[0]));
  EXPECT_EQ(said(plan, "Stalled").status, kube::ConditionStatus::False);
}

TEST(SlicedPool, is_ready_once_karpenter_uses_its_overlays) {
  const Plan plan = decide(settled(MakePool("t4").time_slicing(4).get(), {{"Ready", "True", "Ready", ""}}));
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(said(plan, "Ready").status, kube::ConditionStatus::True);
  EXPECT_EQ(said(plan, "SharingConfigured").status, kube::ConditionStatus::True);
}

TEST(SlicedPool, is_never_ready_in_silence_where_the_overlay_kind_is_missing) {
  Observation seen = settled(MakePool("t4").time_slicing(4).get(), {});
  seen.overlays.clear();
  seen.overlays_served = false;
  const Plan plan = decide(seen);
  for (const char* type : {"Ready", "SharingConfigured"})
    expect_false(plan, type, "NodeOverlayNotServed", "NodeOverlay=true");
  EXPECT_EQ(said(plan, "Stalled").status, kube::ConditionStatus::True);
  EXPECT_EQ(said(plan, "NodePoolsSynced").status, kube::ConditionStatus::True);
  EXPECT_EQ(plan.status.resource_name, "nvidia.com/gpu.shared") << "nodes that are there go on serving";
}

TEST(SlicedPool, is_not_ready_where_karpenter_s_gate_is_off) {
  Observation seen = settled(MakePool("t4").time_slicing(4).get(), {});
  Plan plan = decide(seen);
  expect_false(plan, "SharingConfigured", "Writing", "waits for Karpenter");
  EXPECT_EQ(said(plan, "Ready").status, kube::ConditionStatus::False);
  EXPECT_EQ(said(plan, "Stalled").status, kube::ConditionStatus::False) << "it may only be slow";
  ASSERT_TRUE(plan.wake_at);
  seen.now = *plan.wake_at;
  plan = decide(seen);
  for (const char* type : {"Ready", "SharingConfigured"})
    expect_false(plan, type, "NodeOverlayIgnored", "feature gate NodeOverlay is off");
}

TEST(SlicedPool, says_in_karpenter_s_words_why_an_overlay_does_not_hold) {
  const Plan plan = decide(settled(MakePool("t4").time_slicing(4).get(),
                                   {{"ValidationSucceeded", "False", "Conflict", "conflicts with overlay z"},
                                    {"Ready", "False", "UnhealthyDependents", "ValidationSucceeded=False"}}));
  for (const char* type : {"Ready", "SharingConfigured"})
    expect_false(plan, type, "NodeOverlayNotReady", "Conflict: conflicts with overlay z");
}

TEST(SlicedPool, whose_overlay_s_name_is_taken_says_so_and_goes_on_with_the_rest) {
  Observation seen = settled(MakePool("t4").time_slicing(4).get(), {{"Ready", "True", "Ready", ""}});
  auto foreign = std::make_shared<api::NodeOverlay>(*seen.overlays.front());
  foreign->meta.owner_references.clear();
  seen.overlays.front() = foreign;
  seen.node_pools.clear();
  const Plan plan = decide(seen);
  ASSERT_EQ(plan.actions.size(), 1U) << "neither adopted nor made again";
  EXPECT_TRUE(std::holds_alternative<CreateNodePool>(plan.actions[0]));
  for (const char* type : {"Ready", "SharingConfigured"})
    expect_false(plan, type, "NodeOverlayNotOwned", std::string(foreign->meta.name));
}

TEST(SlicedPool, that_no_known_instance_type_fits_says_that_it_cannot_be_sized) {
  const Plan plan = decide(
      settled(MakePool("t4").time_slicing(4).with([](auto& p) { p.spec.gpu.models = {"none-such"}; }).get(), {}));
  expect_false(plan, "SharingConfigured", "NoInstanceType", "spec.gpu");
  EXPECT_NE(said(plan, "Ready").status, kube::ConditionStatus::True);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
