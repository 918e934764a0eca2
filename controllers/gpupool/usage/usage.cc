#include "controllers/gpupool/usage/usage.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "controllers/common/job_of.h"
#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/sharing/preparation.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/warm/warm_pod.h"
#include "controllers/prices/dearest_gpu.h"
#include "controllers/prices/node_price.h"

namespace reprise::controllers::gpupool {
namespace {

using prices::MicroUsd;

api::CapacityStatus& row_of(Usage& usage, api::CapacityType type) {
  const auto row = std::ranges::find(usage.capacity, type, &api::CapacityStatus::type);
  return row != usage.capacity.end() ? *row : *usage.capacity.insert(usage.capacity.end(), {.type = type});
}

// The most sizes that the definition has room for.
constexpr std::size_t kMostSizes = 32;

void add_machine(std::int32_t gpus, api::CapacityStatus& row) {
  row.gpus += gpus;
  if (gpus <= 0) return;
  const auto larger = std::ranges::lower_bound(row.machines, gpus, {}, &api::MachinesStatus::gpus);
  if (larger != row.machines.end() && larger->gpus == gpus)
    ++larger->count;
  else if (row.machines.size() < kMostSizes)
    row.machines.insert(larger, {.gpus = gpus, .count = 1});
}

void add_price(MicroUsd price, std::string& total) {
  total = prices::format_usd(prices::sum(prices::counted_usd(total), price));
}

// A machine that the cloud has launched is paid for before it is a node.
void add_machines_without_node(const Observation& seen, Usage& usage) {
  const NodesOfClaims nodes(seen);
  const std::int64_t fewest = prices::gpus_of_machines(seen.pool->spec).front();
  for (const auto& claim : seen.node_claims) {
    if (!is_rented(seen, *claim) || !is_launched(*claim) || nodes.of(*claim) != nullptr) continue;
    const auto known = gpus_of_type(claim->meta.label("node.kubernetes.io/instance-type"));
    add_machine(known.value_or(static_cast<std::int32_t>(fewest)), row_of(usage, prices::capacity_type(claim->meta)));
    const prices::NodePrice price = prices::price_of(seen.pool->spec, claim->meta, seen.price_table);
    add_price(price.per_hour, usage.cost.per_hour);
    add_price(price.per_hour, usage.cost.idle_per_hour);
    add_price(price.on_demand_per_hour, usage.cost.on_demand_per_hour);
  }
}

}  // namespace

Usage measure(const api::GpuPoolSpec& spec, const std::vector<std::shared_ptr<const kube::Node>>& nodes,
              const EachPod& each_pod, prices::PriceTable table) {
  const GpuSharing sharing = sharing_of(spec.sharing);
  const std::int32_t slices = sharing.units_per_gpu;
  Usage usage;
  for (const api::PoolCapacity& capacity : spec.capacity) usage.capacity.push_back({.type = capacity.type});

  std::unordered_map<std::string, std::int32_t> used_on;  // node's name
  each_pod([&](const kube::Pod& pod) {
    const bool placeholder = is_standby(pod) || is_warm(pod);
    if (!has_ended(pod) && !placeholder) used_on[std::string(pod.node_name)] += sharing.units_in(pod.resource_requests);
  });

  MicroUsd cost = 0;
  MicroUsd idle_cost = 0;
  MicroUsd on_demand_cost = 0;
  for (const auto& node : nodes) {
    const api::CapacityType type = prices::capacity_type(node->meta);
    const bool prepared = preparation_of(spec.sharing, *node) == Preparation::Done;
    const std::int32_t units = prepared ? sharing.units_in(node->allocatable) : 0;
    const auto known = gpus_of_type(node->meta.label("node.kubernetes.io/instance-type"));
    const std::int32_t gpus = known.value_or(units / std::max(slices, 1));
    const auto in_use = used_on.find(node->meta.name);
    const std::int32_t used = in_use != used_on.end() ? in_use->second : 0;
    usage.units.total += units;
    usage.units.used += used;
    api::CapacityStatus& row = row_of(usage, type);
    ++row.nodes;
    add_machine(gpus, row);
    row.gpus_used += std::min(gpus, (used + slices - 1) / std::max(slices, 1));
    const prices::NodePrice price = prices::price_of(spec, node->meta, table);
    cost = prices::sum(cost, price.per_hour);
    if (used == 0) idle_cost = prices::sum(idle_cost, price.per_hour);
    on_demand_cost = prices::sum(on_demand_cost, price.on_demand_per_hour);
  }
  usage.cost = {prices::format_usd(cost), prices::format_usd(idle_cost), prices::format_usd(on_demand_cost)};
  return usage;
}

Usage measure(const Observation& seen) {
  const auto each_pod = [&](const LookAtPod& look) {
    for (const auto& pod : seen.pods) look(*pod);
  };
  Usage usage = measure(seen.pool->spec, seen.nodes, each_pod, seen.price_table);
  add_machines_without_node(seen, usage);
  return usage;
}

}  // namespace reprise::controllers::gpupool
