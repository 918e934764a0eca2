#include "controllers/prices/node_price.h"

#include "controllers/gpupool/providers/catalog.h"

namespace reprise::controllers::prices {
namespace {

using gpupool::InstanceType;

MicroUsd price_per_hour(const api::GpuPoolSpec& spec, const kube::Node& node, const InstanceType* known) {
  const api::CapacityType type = capacity_type(node);
  const std::string_view instance = node.meta.label("node.kubernetes.io/instance-type");
  const std::string_view zone = node.meta.label("topology.kubernetes.io/zone");
  for (const api::InstancePrice& price : spec.prices) {
    if (price.instance_type == instance && price.capacity_type == type && (price.zone.empty() || price.zone == zone)) {
      if (const auto usd = parse_usd(price.per_hour)) return *usd;
    }
  }
  if (const auto usd = parse_usd(node.meta.label("eks-node-viewer/instance-price"))) return *usd;
  if (known == nullptr) return 0;
  const bool spot = type == api::CapacityType::Spot;
  return known->on_demand_micro_usd_per_hour * (spot ? gpupool::kSpotPercentOfOnDemand : 100) / 100;
}

}  // namespace

api::CapacityType capacity_type(const kube::Node& node) {
  const std::string_view label = node.meta.label("karpenter.sh/capacity-type");
  if (label == "on-demand") return api::CapacityType::OnDemand;
  if (label == "reserved") return api::CapacityType::Reserved;
  return api::CapacityType::Spot;
}

NodePrice price_of(const api::GpuPoolSpec& spec, const kube::Node& node) {
  const InstanceType* known = gpupool::find_instance_type(node.meta.label("node.kubernetes.io/instance-type"));
  const MicroUsd price = price_per_hour(spec, node, known);
  return {.per_hour = price, .on_demand_per_hour = known != nullptr ? known->on_demand_micro_usd_per_hour : price};
}

}  // namespace reprise::controllers::prices
