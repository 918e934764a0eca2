// GpuPool (reprise.dev/v1alpha1, cluster-scoped): which GPUs a cluster may rent, how they are shared, what they may
// cost. Field meanings for users are in crds/reprise.dev_gpupools.yaml; names here follow it in snake_case.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "api/capacity_type.h"
#include "api/pool_status.h"
#include "runtime/kube/label_selector.h"
#include "runtime/kube/meta.h"
#include "runtime/kube/taint.h"

namespace reprise::api {

// The resource that pod templates ask for: one unit of a pool, whatever the pool's way of sharing calls it.
inline constexpr std::string_view kUnitResource = "reprise.dev/gpu";

enum class SharingMode { Exclusive, TimeSlicing, MPS, MIG, External };
// How a pool treats a node whose GPUs are called broken: it does nothing, names it, or names and replaces it.
enum class HealthPolicy { Ignore, Report, Replace };
enum class FallbackPolicy { Keep, ReturnAtCheckpoint };
enum class ExternalPreset { Custom, HAMi, FourParadigm, Volcano, Volcengine, KAI, Aliyun, Nvshare };

struct GpuSelection {
  std::vector<std::string> models;             // "t4", "a10g"; empty: any
  std::optional<std::int64_t> min_memory_mib;  // per GPU
  std::vector<std::int32_t> counts_per_node;   // empty: any
  static void fields(auto& self, auto& field) {
    field("models", self.models);
    field("minMemoryMiB", self.min_memory_mib);
    field("countsPerNode", self.counts_per_node);
  }
  bool operator==(const GpuSelection&) const = default;
};

struct NodeClassRef {
  std::string group, kind, name;
  static void fields(auto& self, auto& field) {
    field("group", self.group);
    field("kind", self.kind);
    field("name", self.name);
  }
  bool operator==(const NodeClassRef&) const = default;
};

struct ExistingNodes {
  kube::LabelSelector selector;
  static void fields(auto& self, auto& field) { field("selector", self.selector); }
  bool operator==(const ExistingNodes&) const = default;
};

struct PoolCapacity {
  CapacityType type = CapacityType::Spot;
  std::optional<std::int32_t> max_gpus;
  std::optional<std::int32_t> notice_seconds;
  static void fields(auto& self, auto& field) {
    field("type", self.type);
    field("maxGpus", self.max_gpus);
    field("noticeSeconds", self.notice_seconds);
  }
  bool operator==(const PoolCapacity&) const = default;
};

struct MigDevice {
  std::string profile;  // "1g.10gb"
  std::int32_t count = 0;
  static void fields(auto& self, auto& field) {
    field("profile", self.profile);
    field("count", self.count);
  }
  bool operator==(const MigDevice&) const = default;
};

// The settings that another system's device plugin and scheduler need; a preset fills in those that are not given.
struct ExternalSharing {
  ExternalPreset preset = ExternalPreset::Custom;
  std::string resource_name;  // Custom: the resource a pod asks for
  std::int32_t units_per_gpu = 1;
  std::optional<std::int32_t> quantity_per_unit;    // Custom: how much of resource_name a unit is
  std::optional<std::int32_t> memory_mib_per_unit;  // for presets that grant memory
  kube::StringMap pod_labels;
  kube::StringMap pod_annotations;
  kube::StringMap node_labels;
  std::string scheduler_name;
  static void fields(auto& self, auto& field) {
    field("preset", self.preset);
    field("resourceName", self.resource_name);
    field("unitsPerGpu", self.units_per_gpu);
    field("quantityPerUnit", self.quantity_per_unit);
    field("memoryMiBPerUnit", self.memory_mib_per_unit);
    field("podLabels", self.pod_labels);
    field("podAnnotations", self.pod_annotations);
    field("nodeLabels", self.node_labels);
    field("schedulerName", self.scheduler_name);
  }
  bool operator==(const ExternalSharing&) const = default;
};

struct Sharing {
  SharingMode mode = SharingMode::Exclusive;
  std::optional<std::int32_t> replicas;     // TimeSlicing, MPS
  std::vector<MigDevice> mig_devices;       // MIG
  std::optional<ExternalSharing> external;  // External
  static void fields(auto& self, auto& field) {
    field("mode", self.mode);
    field("replicas", self.replicas);
    field("migDevices", self.mig_devices);
    field("external", self.external);
  }
  bool operator==(const Sharing&) const = default;
};

struct NodeRequirement {  // Karpenter's, passed through
  std::string key;
  std::string op;
  std::vector<std::string> values;
  std::optional<std::int32_t> min_values;
  static void fields(auto& self, auto& field) {
    field("key", self.key);
    field("operator", self.op);
    field("values", self.values);
    field("minValues", self.min_values);
  }
  bool operator==(const NodeRequirement&) const = default;
};

struct DisruptionBudget {
  std::string nodes;                 // "1" or "10%"
  std::vector<std::string> reasons;  // Underutilized | Empty | Drifted
  std::string schedule;              // cron, UTC; both or none
  std::optional<std::int64_t> duration_seconds;
  static void fields(auto& self, auto& field) {
    field("nodes", self.nodes);
    field("reasons", self.reasons);
    field("schedule", self.schedule);
    field("durationSeconds", self.duration_seconds);
  }
  bool operator==(const DisruptionBudget&) const = default;
};

struct WarmSchedule {
  std::string schedule;  // cron, UTC
  std::int64_t duration_seconds = 0;
  std::int32_t gpus = 0;
  static void fields(auto& self, auto& field) {
    field("schedule", self.schedule);
    field("durationSeconds", self.duration_seconds);
    field("gpus", self.gpus);
  }
  bool operator==(const WarmSchedule&) const = default;
};

struct ObjectRef {  // within the operator's own namespace
  std::string name;
  static void fields(auto& self, auto& field) { field("name", self.name); }
  bool operator==(const ObjectRef&) const = default;
};

struct InstancePrice {
  std::string instance_type;
  CapacityType capacity_type = CapacityType::OnDemand;
  std::string zone;      // empty: every zone
  std::string per_hour;  // decimal, USD
  static void fields(auto& self, auto& field) {
    field("instanceType", self.instance_type);
    field("capacityType", self.capacity_type);
    field("zone", self.zone);
    field("perHour", self.per_hour);
  }
  bool operator==(const InstancePrice&) const = default;
};

struct GpuPoolSpec {
  GpuSelection gpu;
  std::optional<NodeClassRef> node_class_ref;  // exactly one of these two
  std::optional<ExistingNodes> existing_nodes;
  std::vector<PoolCapacity> capacity;  // order = preference
  std::string max_cost_per_hour;       // decimal; empty: no limit
  Sharing sharing;
  std::int32_t scale_down_idle_seconds = 300;             // scaleDown.idleSeconds
  std::int32_t warm_gpus = 0;                             // warm.gpus
  std::vector<WarmSchedule> warm_schedules;               // warm.schedules
  std::int32_t initialization_deadline_seconds = 840;     // below the 15 minutes after which Karpenter gives up
  HealthPolicy health_policy = HealthPolicy::Report;      // health.policy
  FallbackPolicy fallback_policy = FallbackPolicy::Keep;  // fallback.policy
  std::optional<kube::LabelSelector> allowed_namespaces;  // absent: every namespace
  std::vector<std::string> zones;
  std::vector<std::string> instance_types;
  std::vector<NodeRequirement> requirements;
  kube::StringMap labels;
  kube::StringMap annotations;
  std::vector<kube::Taint> taints;
  std::vector<kube::Taint> startup_taints;
  std::vector<DisruptionBudget> disruption_budgets;
  std::optional<ObjectRef> device_plugin_config_map_ref;
  std::string runtime_class_name;  // for pods that use a GPU; empty: the nodes' default serves
  std::vector<InstancePrice> prices;
  static void fields(auto& self, auto& field) {
    field("gpu", self.gpu);
    field("nodeClassRef", self.node_class_ref);
    field("existingNodes", self.existing_nodes);
    field("capacity", self.capacity);
    field("maxCostPerHour", self.max_cost_per_hour);
    field("sharing", self.sharing);
    field.nest("scaleDown", [&](auto& below) { below("idleSeconds", self.scale_down_idle_seconds); });
    field.nest("warm", [&](auto& below) {
      below("gpus", self.warm_gpus);
      below("schedules", self.warm_schedules);
    });
    field("initializationDeadlineSeconds", self.initialization_deadline_seconds);
    field.nest("health", [&](auto& below) { below("policy", self.health_policy); });
    field.nest("fallback", [&](auto& below) { below("policy", self.fallback_policy); });
    field("allowedNamespaces", self.allowed_namespaces);
    field("zones", self.zones);
    field("instanceTypes", self.instance_types);
    field("requirements", self.requirements);
    field("labels", self.labels);
    field("annotations", self.annotations);
    field("taints", self.taints);
    field("startupTaints", self.startup_taints);
    field("disruptionBudgets", self.disruption_budgets);
    field("devicePluginConfigMapRef", self.device_plugin_config_map_ref);
    field("runtimeClassName", self.runtime_class_name);
    field("prices", self.prices);
  }
  bool operator==(const GpuPoolSpec&) const = default;
};

struct GpuPool {
  kube::ObjectMeta meta;
  GpuPoolSpec spec;
  GpuPoolStatus status;
  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.spec, self.status); }
};

}  // namespace reprise::api

template <>
struct reprise::kube::KindOf<reprise::api::GpuPool> {
  static constexpr kube::KindInfo info() { return {"reprise.dev", "v1alpha1", "GpuPool", "gpupools", false}; }
  [[nodiscard]] static std::expected<api::GpuPool, kube::DecodeError> decode(std::string_view json);
};

namespace reprise::api {

// {"status": {...}, "metadata": {"resourceVersion": ...}}: a merge patch for the status subresource.
[[nodiscard]] std::string encode_status_patch(const GpuPoolStatus& status, std::string_view resource_version);
// The whole object as the API server would take it; for tests, tools and `--dry-run`.
[[nodiscard]] std::string encode(const GpuPool& pool);

[[nodiscard]] std::string_view name(SharingMode mode);  // "TimeSlicing"
[[nodiscard]] std::string_view name(ExternalPreset preset);

}  // namespace reprise::api
