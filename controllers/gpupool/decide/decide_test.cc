// The objects of a pool: NodePools, overlays, one key for the device plugin; and its report.
#include "controllers/gpupool/decide/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/node_pools/device_plugin.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"
#include "controllers/testing/kstatus.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeNode;
using controllers::testing::MakeNodeClaim;
using controllers::testing::MakePool;
using ::testing::HasSubstr;

Observation observe(std::shared_ptr<const api::GpuPool> pool) {
  Observation seen;
  seen.pool = std::move(pool);
  seen.now = kStart;
  return seen;
}

// Shows in `seen` what the API server would hold after the plan was carried out.
void carry_out(const Plan& plan, Observation& seen) {
  auto pool = std::make_shared<api::GpuPool>(*seen.pool);
  pool->status = plan.status;
  seen.pool = pool;
  for (const Action& action : plan.actions) {
    if (const auto* create = std::get_if<CreateNodePool>(&action)) {
      auto made = std::make_shared<api::NodePool>(create->wanted);
      made->conditions = {{"Ready", "True", "", ""}};
      seen.node_pools[made->meta.name] = made;
    } else if (const auto* overlay = std::get_if<CreateOverlay>(&action)) {
      auto made = std::make_shared<api::NodeOverlay>(overlay->wanted);
      made->conditions = {{"Ready", "True", "", ""}};
      seen.overlays.push_back(made);
    } else if (const auto* key = std::get_if<WriteDevicePluginKey>(&action)) {
      auto map = std::make_shared<kube::ConfigMap>();
      map->data[key->key] = key->content;
      seen.device_plugin_config = map;
    }
  }
}

std::string state(const Plan& plan, std::string_view type) {
  const kube::Condition* found = find_condition(plan.status.conditions, type);
  if (found == nullptr) return "absent";
  return std::string(found->status == kube::ConditionStatus::True ? "True/" : "False/") + found->reason;
}

TEST(GpuPool, becomes_one_node_pool_per_capacity_type_in_order_of_preference) {
  const auto pool =
      MakePool("t4")
          .with([](auto& p) {
            p.spec.capacity.push_back({.type = api::CapacityType::OnDemand, .max_gpus = 4, .notice_seconds = {}});
          })
          .get();
  const auto node_pools = desired_node_pools(*pool);
  ASSERT_TRUE(node_pools);
  ASSERT_EQ(node_pools->size(), 2U);
  EXPECT_EQ((*node_pools)[0].meta.name, "t4-spot");
  EXPECT_EQ((*node_pools)[1].meta.name, "t4-on-demand");
  EXPECT_GT(*(*node_pools)[0].spec.weight, *(*node_pools)[1].spec.weight);
  EXPECT_EQ((*node_pools)[0].spec.termination_grace_period, "120s");
  EXPECT_EQ((*node_pools)[0].spec.limits.at("nvidia.com/gpu"), "16");
  EXPECT_EQ((*node_pools)[0].spec.expire_after, "Never");
  EXPECT_EQ((*node_pools)[0].meta.controller()->uid, "uid-pool-t4");
}

TEST(GpuPool, bounds_gpus_by_the_resource_that_its_nodes_really_show) {
  const auto limits = [](const api::GpuPool& pool) { return (*desired_node_pools(pool))[0].spec.limits; };
  EXPECT_EQ(limits(*MakePool("t4").get()), (kube::StringMap{{"nvidia.com/gpu", "16"}}));
  EXPECT_EQ(limits(*MakePool("t4").time_slicing(4).get()), (kube::StringMap{{"nvidia.com/gpu.shared", "64"}}));
}

TEST(GpuPool, never_lets_drift_end_a_trainer) {
  const auto node_pools = desired_node_pools(*MakePool("t4").get());
  const auto& budgets = (*node_pools)[0].spec.budgets;
  EXPECT_TRUE(std::ranges::any_of(
      budgets, [](const auto& b) { return b.nodes == "0" && b.reasons == std::vector<std::string>{"Drifted"}; }));
}

TEST(GpuPool, converges_and_then_writes_nothing) {
  Observation seen = observe(MakePool("t4").time_slicing(4).get());
  carry_out(decide(seen), seen);
  carry_out(decide(seen), seen);
  const Plan plan = decide(seen);
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.status, seen.pool->status);
  EXPECT_EQ(state(plan, "Ready"), "True/Ready");
  EXPECT_EQ(state(plan, "Reconciling"), "absent");
  EXPECT_EQ(plan.status.resource_name, "nvidia.com/gpu.shared");
  EXPECT_EQ(plan.status.sharing, "TimeSlicing x4");
}

// Read by helm install --wait and the like.
TEST(GpuPool, reads_for_kstatus_as_in_progress_until_it_is_ready_as_failed_when_blocked) {
  using controllers::testing::kstatus;
  Observation seen = observe(MakePool("t4").with([](auto& p) { p.status.observed_generation = -1; }).get());
  EXPECT_EQ(kstatus(*seen.pool), "InProgress") << "nobody has looked at it";
  carry_out(decide(seen), seen);
  EXPECT_EQ(kstatus(*seen.pool), "InProgress") << "its NodePools are being written";
  carry_out(decide(seen), seen);
  EXPECT_EQ(kstatus(*seen.pool), "Current");
  auto& node_pool = seen.node_pools.at("t4-spot");
  auto broken = std::make_shared<api::NodePool>(*node_pool);
  broken->conditions = {{"Ready", "False", "NodeClassNotFound", ""}};
  node_pool = broken;
  carry_out(decide(seen), seen);
  EXPECT_EQ(kstatus(*seen.pool), "InProgress") << "its NodePool is not ready";

  Observation blocked =
      observe(MakePool("mig").with([](auto& p) { p.spec.sharing.mode = api::SharingMode::MIG; }).get());
  carry_out(decide(blocked), blocked);
  EXPECT_EQ(kstatus(*blocked.pool), "Failed");
}

TEST(GpuPool, has_all_conditions_after_the_first_look) {
  const Plan plan = decide(observe(MakePool("t4").get()));
  for (const char* type : {"Ready", "Stalled", "NodePoolsSynced", "SharingConfigured", "CapacityAvailable"}) {
    const kube::Condition* found = find_condition(plan.status.conditions, type);
    ASSERT_NE(found, nullptr) << type;
    EXPECT_EQ(found->observed_generation, 1) << type;
  }
}

TEST(GpuPool, declares_slices_by_instance_type_on_kwok_and_by_count_elsewhere) {
  const auto kwok = desired_overlays(*MakePool("t4").time_slicing(4).get());
  ASSERT_FALSE(kwok.empty());
  EXPECT_EQ(kwok[0].spec.requirements[1].key, "node.kubernetes.io/instance-type");
  const auto twelve = std::ranges::find_if(kwok, [](const auto& o) { return o.meta.name == "t4-g4dn.12xlarge"; });
  ASSERT_NE(twelve, kwok.end());
  EXPECT_EQ(twelve->spec.capacity.at("nvidia.com/gpu.shared"), "16");

  const auto aws = desired_overlays(*MakePool("t4")
                                         .time_slicing(4)
                                         .with([](auto& p) {
                                           p.spec.node_class_ref->group = "karpenter.k8s.aws";
                                           p.spec.gpu.counts_per_node = {1, 4};
                                         })
                                         .get());
  ASSERT_EQ(aws.size(), 2U);
  EXPECT_EQ(aws[1].spec.requirements[1].key, "karpenter.k8s.aws/instance-gpu-count");
  EXPECT_TRUE(desired_overlays(*MakePool("t4").get()).empty()) << "whole GPUs need no overlay";
}

TEST(GpuPool, never_adopts_a_node_pool_of_the_same_name) {
  Observation seen = observe(MakePool("t4").get());
  auto foreign = std::make_shared<api::NodePool>();
  foreign->meta.name = "t4-spot";
  foreign->meta.uid = "uid-foreign";
  seen.node_pools["t4-spot"] = foreign;
  const Plan plan = decide(seen);
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(state(plan, "Ready"), "False/NodePoolNotOwned");
  EXPECT_EQ(state(plan, "Stalled"), "True/NodePoolNotOwned");
}

TEST(GpuPool, puts_back_what_was_changed_and_removes_what_is_not_wanted_any_more) {
  Observation seen = observe(MakePool("t4").get());
  carry_out(decide(seen), seen);
  auto changed = std::make_shared<api::NodePool>(*seen.node_pools.at("t4-spot"));
  changed->spec.consolidate_after = "1s";
  changed->meta.resource_version = "7";
  seen.node_pools["t4-spot"] = changed;
  auto old = std::make_shared<api::NodePool>(*changed);
  old->meta.name = "t4-on-demand";
  seen.node_pools["t4-on-demand"] = old;
  const Plan plan = decide(seen);
  ASSERT_EQ(plan.actions.size(), 2U);
  EXPECT_EQ(std::get<UpdateNodePool>(plan.actions[0]).current.meta.resource_version, "7");
  EXPECT_EQ(std::get<DeleteNodePool>(plan.actions[1]).name, "t4-on-demand");
}

TEST(GpuPool, rejects_what_it_does_not_act_on_by_the_field_s_name) {
  const std::vector<std::pair<std::function<void(api::GpuPool&)>, std::string>> rows{
      {[](auto& p) {
         p.spec.sharing = {
             .mode = api::SharingMode::MIG, .replicas = {}, .mig_devices = {{"1g.5gb", 2}, {"2g.10gb", 1}}};
       },
       "spec.sharing.migDevices"},
      {[](auto& p) { p.spec.sharing.mode = api::SharingMode::External; }, "spec.sharing.external"},
      {[](auto& p) { p.spec.warm_gpus = 2; }, "spec.warm.gpus"},
      {[](auto& p) {
         p.spec.max_cost_per_hour = "20.00";
         p.spec.node_class_ref->group = "karpenter.azure.com";
       },
       "spec.maxCostPerHour: found 20.00, and no price is known"},
      {[](auto& p) {
         p.spec.max_cost_per_hour = "20.00";
         p.spec.node_class_ref.reset();
         p.spec.existing_nodes = api::ExistingNodes{};
       },
       "spec.maxCostPerHour"},
      {[](auto& p) { p.spec.node_class_ref->group = "karpenter.example"; }, "spec.nodeClassRef.group"}};
  for (const auto& [spoil, field] : rows) {
    const Plan plan = decide(observe(MakePool("t4").with(spoil).get()));
    EXPECT_TRUE(plan.actions.empty()) << field;
    EXPECT_THAT(find_condition(plan.status.conditions, "Stalled")->message, HasSubstr(field));
    EXPECT_EQ(plan.status.resource_name, "") << "no job may start on it";
  }
}

TEST(GpuPool, nothing_is_rented_that_mps_cannot_serve) {
  const auto pool = [](std::string model, std::int32_t replicas) {
    return MakePool("old").with([&](auto& p) {
      p.spec.gpu.models = {model};
      p.spec.sharing = {.mode = api::SharingMode::MPS, .replicas = replicas, .mig_devices = {}};
    });
  };
  const Plan refused = decide(observe(pool("v100", 17).get()));
  EXPECT_TRUE(refused.actions.empty());
  EXPECT_EQ(state(refused, "Stalled"), "True/InvalidSpec");
  EXPECT_EQ(state(refused, "SharingConfigured"), "False/InvalidSpec");
  EXPECT_THAT(find_condition(refused.status.conditions, "Stalled")->message,
              HasSubstr("spec.sharing.replicas: found 17"));
  EXPECT_FALSE(decide(observe(pool("v100", 16).get())).actions.empty());
  EXPECT_FALSE(decide(observe(pool("t4", 48).get())).actions.empty());
}

TEST(GpuPool, nodes_whose_gpus_mps_serves_are_labelled_for_its_daemon_and_karpenter_is_told_of_the_slices) {
  const auto pool =
      MakePool("t4")
          .with([](auto& p) { p.spec.sharing = {.mode = api::SharingMode::MPS, .replicas = 4, .mig_devices = {}}; })
          .get();
  const auto node_pools = desired_node_pools(*pool);
  ASSERT_TRUE(node_pools);
  EXPECT_EQ(node_pools->front().spec.labels.at("nvidia.com/mps.capable"), "true");
  EXPECT_EQ(node_pools->front().spec.labels.at("nvidia.com/device-plugin.config"), "mps-4");
  const auto overlays = desired_overlays(*pool);
  ASSERT_FALSE(overlays.empty());
  for (const api::NodeOverlay& overlay : overlays)
    EXPECT_TRUE(overlay.spec.capacity.contains("nvidia.com/gpu.shared")) << overlay.meta.name;
}

TEST(GpuPool, ends_nodes_that_never_become_usable_and_says_so) {
  Observation seen = observe(MakePool("t4").get());
  carry_out(decide(seen), seen);
  seen.node_claims = {MakeNodeClaim("stuck", "node-a")
                          .with([](auto& c) {
                            c.conditions = {{"Initialized", "Unknown", "ResourceNotRegistered",
                                             "nvidia.com/gpu was requested but not registered"}};
                          })
                          .get()};
  constexpr std::chrono::minutes karpenters_own(15);
  EXPECT_LT(*decide(seen).wake_at, kStart + karpenters_own);
  seen.now = *decide(seen).wake_at;
  const Plan plan = decide(seen);
  ASSERT_EQ(plan.actions.size(), 2U);
  EXPECT_EQ(std::get<UpdateNodePool>(plan.actions[0]).wanted.spec.limits.at("nvidia.com/gpu"), "0");
  EXPECT_EQ(std::get<DeleteStuckNodeClaim>(plan.actions[1]).uid, "uid-stuck");
  EXPECT_EQ(state(plan, "CapacityAvailable"), "False/InitializationDeadlineExceeded");
  ASSERT_EQ(plan.announcements.size(), 1U);
  EXPECT_EQ(plan.announcements[0].reason, "InitializationDeadlineExceeded");
}

// Such a pod ran on an earlier machine of that name, or on one that answers nobody: no kubelet takes it off.
TEST(GpuPool, ends_a_node_that_never_became_usable_though_a_pod_that_should_have_ended_long_ago_is_called_running) {
  Observation seen = observe(MakePool("t4").get());
  carry_out(decide(seen), seen);
  seen.node_claims = {MakeNodeClaim("stuck", "node-a").with([](auto& c) { c.conditions.clear(); }).get()};
  seen.now = kStart + std::chrono::seconds(900);
  auto pod = std::make_shared<kube::Pod>();
  pod->node_name = "node-a";
  pod->phase = kube::PodPhase::Running;
  pod->resource_requests = {{"nvidia.com/gpu", "1"}};
  seen.pods = {pod};
  EXPECT_TRUE(decide(seen).actions.empty()) << "whatever Karpenter says of the node";
  pod->meta.deletion_timestamp = seen.now;
  const Plan waits = decide(seen);
  EXPECT_TRUE(waits.actions.empty());
  EXPECT_EQ(waits.wake_at, seen.now + std::chrono::seconds(60));
  seen.now += std::chrono::seconds(60);
  ASSERT_EQ(decide(seen).actions.size(), 2U) << "and its NodePool rents none in its place";
  EXPECT_TRUE(std::holds_alternative<DeleteStuckNodeClaim>(decide(seen).actions[1]));
}

TEST(GpuPool, reports_units_use_and_cost) {
  Observation seen = observe(MakePool("t4").time_slicing(4).get());
  const auto node = [](std::string name) {
    return MakeNode(name)
        .with([](auto& n) {
          n.meta.labels["node.kubernetes.io/instance-type"] = "g4dn.12xlarge";
          n.meta.labels["eks-node-viewer/instance-price"] = "1.5648";
          n.allocatable = {{"nvidia.com/gpu.shared", "16"}};
        })
        .get();
  };
  seen.nodes = {node("busy"), node("idle")};
  auto pod = std::make_shared<kube::Pod>();
  pod->node_name = "busy";
  pod->phase = kube::PodPhase::Running;
  pod->resource_requests = {{"nvidia.com/gpu.shared", "5"}};
  seen.pods = {pod};
  const Plan plan = decide(seen);
  EXPECT_EQ(plan.status.units, (api::UnitsStatus{32, 5}));
  ASSERT_EQ(plan.status.capacity.size(), 1U);
  EXPECT_EQ(plan.status.capacity[0].nodes, 2);
  EXPECT_EQ(plan.status.capacity[0].gpus, 8);
  EXPECT_EQ(plan.status.capacity[0].gpus_used, 2);
  EXPECT_EQ(plan.status.capacity[0].machines, (std::vector<api::MachinesStatus>{{.gpus = 4, .count = 2}}));
  EXPECT_EQ(plan.status.gpus, "2/8");
  EXPECT_EQ(plan.status.cost.per_hour, "3.1296");
  EXPECT_EQ(plan.status.cost.idle_per_hour, "1.5648");
  EXPECT_EQ(plan.status.cost.on_demand_per_hour, "7.824");
}

TEST(GpuPool, reports_its_cost_by_the_table_of_the_cluster) {
  Observation seen = observe(MakePool("t4").get());
  seen.nodes = {controllers::testing::MakeNode("one")
                    .with([](auto& node) {
                      node.meta.labels["node.kubernetes.io/instance-type"] = "g4dn.xlarge";
                      node.meta.labels["karpenter.sh/capacity-type"] = "spot";
                    })
                    .get()};
  const std::vector<api::InstancePrice> table{{"g4dn.xlarge", api::CapacityType::Spot, "", "0.33"}};
  seen.price_table = table;
  EXPECT_EQ(decide(seen).status.cost.per_hour, "0.33");
}

TEST(GpuPool, counts_the_most_interruptions_that_its_jobs_had_together) {
  Observation seen = observe(MakePool("t4").get());
  for (const auto& [now, total] : {std::pair{5, 5}, {2, 5}, {7, 7}}) {
    seen.jobs.interruptions = now;
    carry_out(decide(seen), seen);
    EXPECT_EQ(seen.pool->status.interruptions.total, total);
  }
}

TEST(GpuPool, device_plugin_keys_that_no_pool_needs_go_unless_a_person_changed_them) {
  Observation seen = observe(MakePool("t4").time_slicing(4).get());
  carry_out(decide(seen), seen);
  EXPECT_TRUE(unused_device_plugin_keys(*seen.device_plugin_config, {seen.pool}).empty());
  EXPECT_EQ(unused_device_plugin_keys(*seen.device_plugin_config, {}), std::vector<std::string>{"ts-4"});
  kube::ConfigMap edited = *seen.device_plugin_config;
  edited.data["ts-4"] += "# kept by hand";
  EXPECT_TRUE(unused_device_plugin_keys(edited, {}).empty());
}

TEST(GpuPool, whose_node_pools_the_api_server_rejects_says_so_once_in_its_words) {
  Observation seen = observe(MakePool("t4").get());
  const std::string message = "create NodePool t4-spot: label \"kubernetes.io/hostname\" is restricted";
  api::GpuPoolStatus first;
  for (int i = 0; i < 3; ++i) {
    Plan plan = decide(seen);
    show_rejection(seen, "FailedCreate", message, plan);
    EXPECT_EQ(state(plan, "Stalled"), "True/FailedCreate");
    EXPECT_EQ(state(plan, "Ready"), "False/FailedCreate");
    EXPECT_EQ(state(plan, "Reconciling"), "absent");
    EXPECT_EQ(find_condition(plan.status.conditions, "Stalled")->message, message);
    EXPECT_EQ(plan.announcements.size(), i == 0 ? 1U : 0U);
    if (i == 0) first = plan.status;
    EXPECT_EQ(plan.status, first) << "an equal write is no write";
    auto pool = std::make_shared<api::GpuPool>(*seen.pool);
    pool->status = plan.status;
    seen.pool = pool;
    seen.now += std::chrono::seconds(1);
  }
}

}  // namespace
}  // namespace reprise::controllers::gpupool
