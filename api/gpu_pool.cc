#include "api/gpu_pool.h"

#include "api/internal/node_pool_fields.h"
#include "runtime/kube/internal/archive.h"
#include "runtime/kube/internal/meta_fields.h"

namespace reprise::api {

namespace {

constexpr kube::internal::EnumName<CapacityType> kCapacityTypeNames[] = {
    {CapacityType::Spot, "Spot"}, {CapacityType::OnDemand, "OnDemand"}, {CapacityType::Reserved, "Reserved"}};
constexpr kube::internal::EnumName<SharingMode> kSharingModeNames[] = {{SharingMode::Exclusive, "Exclusive"},
                                                                       {SharingMode::TimeSlicing, "TimeSlicing"},
                                                                       {SharingMode::MPS, "MPS"},
                                                                       {SharingMode::MIG, "MIG"},
                                                                       {SharingMode::External, "External"}};

}  // namespace

constexpr const auto& names_of(CapacityType) {
  return kCapacityTypeNames;
}
constexpr const auto& names_of(SharingMode) {
  return kSharingModeNames;
}

std::string_view name(CapacityType type) {
  return kube::internal::name_of(type);
}
std::string_view name(SharingMode mode) {
  return kube::internal::name_of(mode);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, GpuSelection> v) {
  a("models", v.models);
  a("minMemoryMiB", v.min_memory_mib);
  a("countsPerNode", v.counts_per_node);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ExistingNodes> v) {
  a("selector", v.selector);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, PoolCapacity> v) {
  a("type", v.type);
  a("maxGpus", v.max_gpus);
  a("noticeSeconds", v.notice_seconds);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, MigDevice> v) {
  a("profile", v.profile);
  a("count", v.count);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, Sharing> v) {
  a("mode", v.mode);
  a("replicas", v.replicas);
  a("migDevices", v.mig_devices);
  a("externalResourceName", v.external_resource_name);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, DisruptionBudget> v) {
  a("nodes", v.nodes);
  a("reasons", v.reasons);
  a("schedule", v.schedule);
  a("durationSeconds", v.duration_seconds);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, ObjectRef> v) {
  a("name", v.name);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, InstancePrice> v) {
  a("instanceType", v.instance_type);
  a("capacityType", v.capacity_type);
  a("zone", v.zone);
  a("perHour", v.per_hour);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, GpuPoolSpec> v) {
  a("gpu", v.gpu);
  a("nodeClassRef", v.node_class_ref);
  a("existingNodes", v.existing_nodes);
  a("capacity", v.capacity);
  a("maxCostPerHour", v.max_cost_per_hour);
  a("sharing", v.sharing);
  a.nest("scaleDown", [&](auto& below) { below("idleSeconds", v.scale_down_idle_seconds); });
  a.nest("warm", [&](auto& below) { below("gpus", v.warm_gpus); });
  a("initializationDeadlineSeconds", v.initialization_deadline_seconds);
  a("allowedNamespaces", v.allowed_namespaces);
  a("zones", v.zones);
  a("instanceTypes", v.instance_types);
  a("requirements", v.requirements);
  a("labels", v.labels);
  a("annotations", v.annotations);
  a("taints", v.taints);
  a("startupTaints", v.startup_taints);
  a("disruptionBudgets", v.disruption_budgets);
  a("devicePluginConfigMapRef", v.device_plugin_config_map_ref);
  a("prices", v.prices);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, PoolNodePoolStatus> v) {
  a("name", v.name);
  a("capacityType", v.capacity_type);
  a("ready", v.ready);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, CapacityStatus> v) {
  a("type", v.type);
  a("nodes", v.nodes);
  a("gpus", v.gpus);
  a("gpusUsed", v.gpus_used);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, UnitsStatus> v) {
  a("total", v.total);
  a("used", v.used);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, IsolationStatus> v) {
  a("memory", v.memory);
  a("compute", v.compute);
  a("fault", v.fault);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, PoolCostStatus> v) {
  a("perHour", v.per_hour);
  a("idlePerHour", v.idle_per_hour);
  a("onDemandPerHour", v.on_demand_per_hour);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, PoolInterruptionsStatus> v) {
  a("total", v.total);
  a("lastTime", v.last_time);
}

template <class A>
void fields(A& a, kube::internal::Ref<A, GpuPoolStatus> v) {
  a("observedGeneration", v.observed_generation);
  a("conditions", v.conditions);
  a("nodePools", v.node_pools);
  a("capacity", v.capacity);
  a("units", v.units);
  a("resourceName", v.resource_name);
  a("isolation", v.isolation);
  a("cost", v.cost);
  a("interruptions", v.interruptions);
  a("jobs", v.jobs);
  a("gpus", v.gpus);
  a("sharing", v.sharing);
}

}  // namespace reprise::api

std::expected<reprise::api::GpuPool, reprise::kube::DecodeError> reprise::kube::KindOf<reprise::api::GpuPool>::decode(
    std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    return api::GpuPool{.meta = internal::read_meta(object),
                        .spec = internal::In::read<api::GpuPoolSpec>(object["spec"]),
                        .status = internal::In::read<api::GpuPoolStatus>(object["status"])};
  });
}

namespace reprise::api {

std::string encode_status_patch(const GpuPoolStatus& status, std::string_view resource_version) {
  return kube::internal::to_text(
      kube::internal::status_patch(kube::internal::Out::write(status, kube::internal::Absent::Null), resource_version));
}

std::string encode(const GpuPool& pool) {
  Json::Value tree = kube::internal::start_object(kube::KindOf<GpuPool>::info(), pool.meta);
  tree["spec"] = kube::internal::Out::write(pool.spec, kube::internal::Absent::LeaveOut);
  tree["status"] = kube::internal::Out::write(pool.status, kube::internal::Absent::LeaveOut);
  return kube::internal::to_text(tree);
}

}  // namespace reprise::api
