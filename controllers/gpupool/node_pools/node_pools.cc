#include "controllers/gpupool/node_pools/node_pools.h"

#include "controllers/common/capacity_label.h"
#include "controllers/common/termination_grace.h"
#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/providers/provider_keys.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/prices/dearest_gpu.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::gpupool {
namespace {

// Karpenter's durations of budgets know minutes at the least; a started one counts.
std::vector<api::DisruptionBudget> in_minutes(std::vector<api::DisruptionBudget> budgets) {
  for (api::DisruptionBudget& budget : budgets) {
    if (budget.duration_seconds) budget.duration_seconds = (*budget.duration_seconds + 59) / 60 * 60;
  }
  return budgets;
}

api::NodeRequirement in(std::string key, std::vector<std::string> values) {
  return {.key = std::move(key), .op = "In", .values = std::move(values), .min_values = {}};
}

std::vector<api::NodeRequirement> requirements(const api::GpuPoolSpec& spec, const ProviderKeys& keys,
                                               api::CapacityType type, prices::PriceTable table) {
  std::vector<api::NodeRequirement> out;
  out.push_back(in("karpenter.sh/capacity-type", {std::string(capacity_label(type))}));
  if (spec.gpu.models.empty()) {
    out.push_back({.key = keys.gpu_name, .op = "Exists", .values = {}, .min_values = {}});
  } else {
    out.push_back(in(keys.gpu_name, spec.gpu.models));
  }
  if (!spec.gpu.counts_per_node.empty()) {
    std::vector<std::string> counts;
    for (const std::int32_t count : spec.gpu.counts_per_node) counts.push_back(std::to_string(count));
    out.push_back(in(keys.gpu_count, std::move(counts)));
  }
  if (spec.gpu.min_memory_mib) {
    out.push_back({.key = keys.gpu_memory,
                   .op = "Gt",
                   .values = {std::to_string(*spec.gpu.min_memory_mib - 1)},
                   .min_values = {}});
  }
  if (!spec.zones.empty()) out.push_back(in("topology.kubernetes.io/zone", spec.zones));
  // A type whose price nobody knows keeps to no limit of cost.
  const std::vector<std::string> types =
      spec.max_cost_per_hour.empty() ? spec.instance_types : prices::types_with_price(spec, type, table);
  if (!types.empty()) out.push_back(in("node.kubernetes.io/instance-type", types));
  out.insert(out.end(), spec.requirements.begin(), spec.requirements.end());
  return out;
}

kube::ObjectMeta owned_meta(const api::GpuPool& pool, std::string name) {
  kube::ObjectMeta meta;
  meta.name = std::move(name);
  meta.labels = {{std::string(kPoolLabel), pool.meta.name}};
  meta.owner_references = {kube::owner_reference(pool)};
  return meta;
}

}  // namespace

std::string quantity_text(std::int64_t value) {
  std::string_view suffix;
  for (const std::string_view next : {"k", "M", "G"}) {
    if (value == 0 || value % 1000 != 0) break;
    value /= 1000;
    suffix = next;
  }
  return std::to_string(value) + std::string(suffix);
}

std::string node_pool_name(std::string_view pool, api::CapacityType type) {
  return std::string(pool) + "-" + std::string(capacity_label(type));
}

std::expected<std::vector<api::NodePool>, std::string> desired_node_pools(const api::GpuPool& pool,
                                                                          prices::PriceTable table) {
  const api::GpuPoolSpec& spec = pool.spec;
  if (!spec.node_class_ref) return std::vector<api::NodePool>{};
  const auto keys = provider_keys(spec.node_class_ref->group);
  if (!keys) {
    return std::unexpected(
        "spec.nodeClassRef.group: found \"" + spec.node_class_ref->group +
        "\", must be karpenter.k8s.aws, karpenter.azure.com, karpenter.k8s.gcp or karpenter.kwok.sh");
  }
  if (spec.gpu.min_memory_mib && keys->gpu_memory.empty()) {
    return std::unexpected("spec.gpu.minMemoryMiB: the provider " + spec.node_class_ref->group +
                           " has no label for GPU memory; name the models in spec.gpu.models instead");
  }
  const GpuSharing sharing = sharing_of(spec.sharing);
  std::vector<api::NodePool> out;
  std::int32_t weight = 100;
  for (const api::PoolCapacity& capacity : spec.capacity) {
    api::NodePool node_pool;
    node_pool.meta = owned_meta(pool, node_pool_name(pool.meta.name, capacity.type));
    api::NodePoolSpec& wanted = node_pool.spec;
    wanted.weight = weight--;
    // Nodes whose GPUs are sliced offer no nvidia.com/gpu: Karpenter would count none and the limit would not hold.
    if (capacity.max_gpus) {
      wanted.limits[sharing.resource_name] = quantity_text(sharing.quantity_of(*capacity.max_gpus));
    }
    wanted.consolidation_policy = "WhenEmpty";
    wanted.consolidate_after = std::to_string(spec.scale_down_idle_seconds) + "s";
    wanted.budgets = in_minutes(spec.disruption_budgets);
    if (wanted.budgets.empty())
      wanted.budgets.push_back(
          {.nodes = "100%", .reasons = {"Empty", "Underutilized"}, .schedule = {}, .duration_seconds = {}});
    // Drift would end trainers that say do-not-disrupt as soon as a terminationGracePeriod is set.
    wanted.budgets.push_back({.nodes = "0", .reasons = {"Drifted"}, .schedule = {}, .duration_seconds = {}});
    wanted.labels = spec.labels;
    wanted.labels[std::string(kPoolLabel)] = pool.meta.name;
    for (const auto& [key, value] : sharing.node_labels) wanted.labels[key] = value;
    wanted.annotations = spec.annotations;
    wanted.node_class_ref = *spec.node_class_ref;
    wanted.expire_after = "Never";
    wanted.termination_grace_period = std::to_string(termination_grace_seconds(capacity)) + "s";
    // The device plugin's DaemonSet tolerates this key and no other.
    wanted.taints.push_back({.key = "nvidia.com/gpu", .value = "true", .effect = "NoSchedule"});
    wanted.taints.insert(wanted.taints.end(), spec.taints.begin(), spec.taints.end());
    wanted.startup_taints = spec.startup_taints;
    wanted.requirements = requirements(spec, *keys, capacity.type, table);
    out.push_back(std::move(node_pool));
  }
  return out;
}

std::vector<api::NodeOverlay> desired_overlays(const api::GpuPool& pool) {
  const api::GpuPoolSpec& spec = pool.spec;
  const GpuSharing sharing = sharing_of(spec.sharing);
  const auto keys = spec.node_class_ref ? provider_keys(spec.node_class_ref->group) : std::nullopt;
  if (!sharing.needs_overlay || !keys) return {};

  std::vector<std::string> node_pools;
  for (const api::PoolCapacity& capacity : spec.capacity)
    node_pools.push_back(node_pool_name(pool.meta.name, capacity.type));
  std::vector<api::NodeOverlay> out;
  const auto add = [&](std::string name, api::NodeRequirement what, std::int32_t gpus) {
    api::NodeOverlay overlay;
    overlay.meta = owned_meta(pool, std::move(name));
    overlay.spec.weight = 10;
    overlay.spec.requirements = {in("karpenter.sh/nodepool", node_pools), std::move(what)};
    overlay.spec.capacity = {{sharing.resource_name, quantity_text(sharing.quantity_of(gpus))}};
    for (const UnitResource& also : sharing.unit_resources.value_or(std::vector<UnitResource>{}))
      overlay.spec.capacity[also.name] = quantity_text(gpus * sharing.units_per_gpu * also.quantity);
    out.push_back(std::move(overlay));
  };
  if (keys->count_is_on_types) {
    std::vector<std::int32_t> counts = spec.gpu.counts_per_node;
    if (counts.empty()) counts = {1, 2, 4, 8};
    for (const std::int32_t count : counts) {
      add(pool.meta.name + "-" + std::to_string(count) + "-gpu", in(keys->gpu_count, {std::to_string(count)}), count);
    }
  } else {
    for (const InstanceType& type : catalog()) {
      if (!admits(spec, type)) continue;
      add(pool.meta.name + "-" + std::string(type.name),
          in("node.kubernetes.io/instance-type", {std::string(type.name)}), type.gpus);
    }
  }
  return out;
}

}  // namespace reprise::controllers::gpupool
