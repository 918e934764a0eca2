#include "controllers/gpupool/usage.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "controllers/gpupool/money.h"
#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {
namespace {

std::int32_t integer(const kube::StringMap& quantities, std::string_view key) {
  const auto found = quantities.find(key);
  std::int32_t value = 0;
  if (found != quantities.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  }
  return value;
}

api::CapacityType capacity_type(const kube::Node& node) {
  const std::string_view label = node.meta.label("karpenter.sh/capacity-type");
  if (label == "on-demand") return api::CapacityType::OnDemand;
  if (label == "reserved") return api::CapacityType::Reserved;
  return api::CapacityType::Spot;
}

// Preference: the pool's own table, the price that the provider put on the node, the catalogue.
MicroUsd price_per_hour(const api::GpuPoolSpec& spec, const kube::Node& node, api::CapacityType type) {
  const std::string_view instance = node.meta.label("node.kubernetes.io/instance-type");
  const std::string_view zone = node.meta.label("topology.kubernetes.io/zone");
  for (const api::InstancePrice& price : spec.prices) {
    if (price.instance_type == instance && price.capacity_type == type && (price.zone.empty() || price.zone == zone)) {
      if (const auto usd = parse_usd(price.per_hour)) return *usd;
    }
  }
  if (const auto usd = parse_usd(node.meta.label("eks-node-viewer/instance-price"))) return *usd;
  const InstanceType* known = find_instance_type(instance);
  if (known == nullptr) return 0;
  const bool spot = type == api::CapacityType::Spot;
  return known->on_demand_micro_usd_per_hour * (spot ? kSpotPercentOfOnDemand : 100) / 100;
}

bool ended(const kube::Pod& pod) {
  return pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
}

}  // namespace

Usage measure(const api::GpuPoolSpec& spec, const std::vector<std::shared_ptr<const kube::Node>>& nodes,
              const EachPod& each_pod) {
  const GpuSharing sharing = sharing_of(spec.sharing);
  const std::string& resource = sharing.resource_name;
  const std::int32_t slices = sharing.units_per_gpu;
  Usage usage;
  for (const api::PoolCapacity& capacity : spec.capacity) usage.capacity.push_back({.type = capacity.type});

  std::unordered_map<std::string, std::int32_t> used_on;  // node's name
  each_pod([&](const kube::Pod& pod) {
    const bool placeholder = !pod.meta.label("reprise.dev/standby").empty();
    if (!ended(pod) && !placeholder) used_on[std::string(pod.node_name)] += integer(pod.resource_requests, resource);
  });

  MicroUsd cost = 0;
  MicroUsd idle_cost = 0;
  MicroUsd on_demand_cost = 0;
  for (const auto& node : nodes) {
    const api::CapacityType type = capacity_type(*node);
    const std::int32_t units = integer(node->allocatable, resource);
    const InstanceType* known = find_instance_type(node->meta.label("node.kubernetes.io/instance-type"));
    const std::int32_t gpus = known != nullptr ? known->gpus : units / std::max(slices, 1);
    const auto in_use = used_on.find(node->meta.name);
    const std::int32_t used = in_use != used_on.end() ? in_use->second : 0;
    usage.units.total += units;
    usage.units.used += used;
    auto row = std::ranges::find_if(usage.capacity, [&](const api::CapacityStatus& c) { return c.type == type; });
    if (row == usage.capacity.end()) row = usage.capacity.insert(usage.capacity.end(), {.type = type});
    ++row->nodes;
    row->gpus += gpus;
    row->gpus_used += std::min(gpus, (used + slices - 1) / std::max(slices, 1));
    const MicroUsd price = price_per_hour(spec, *node, type);
    cost = sum(cost, price);
    if (used == 0) idle_cost = sum(idle_cost, price);
    on_demand_cost = sum(on_demand_cost, known != nullptr ? known->on_demand_micro_usd_per_hour : price);
  }
  usage.cost = {format_usd(cost), format_usd(idle_cost), format_usd(on_demand_cost)};
  return usage;
}

Usage measure(const Observation& seen) {
  return measure(seen.pool->spec, seen.nodes, [&](const LookAtPod& look) {
    for (const auto& pod : seen.pods) look(*pod);
  });
}

}  // namespace reprise::controllers::gpupool
