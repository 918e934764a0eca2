#include "controllers/prices/node_price.h"

#include <array>
#include <optional>
#include <string_view>

#include "controllers/gpupool/providers/catalog.h"

namespace reprise::controllers::prices {
namespace {

struct LabelMeaning {
  std::string_view label, value;
  api::CapacityType type;
};

// Karpenter's, and those of the clouds' own node groups.
constexpr std::array kCapacityLabels{
    LabelMeaning{"karpenter.sh/capacity-type", "spot", api::CapacityType::Spot},
    LabelMeaning{"karpenter.sh/capacity-type", "reserved", api::CapacityType::Reserved},
    LabelMeaning{"eks.amazonaws.com/capacityType", "SPOT", api::CapacityType::Spot},
    LabelMeaning{"eks.amazonaws.com/capacityType", "CAPACITY_BLOCK", api::CapacityType::Reserved},
    LabelMeaning{"cloud.google.com/gke-spot", "true", api::CapacityType::Spot},
    LabelMeaning{"cloud.google.com/gke-preemptible", "true", api::CapacityType::Spot},
    LabelMeaning{"kubernetes.azure.com/scalesetpriority", "spot", api::CapacityType::Spot},
};

}  // namespace

api::CapacityType capacity_type(const kube::ObjectMeta& machine) {
  for (const LabelMeaning& meaning : kCapacityLabels) {
    if (machine.label(meaning.label) == meaning.value) return meaning.type;
  }
  return api::CapacityType::OnDemand;
}

NodePrice price_of(const api::GpuPoolSpec& spec, const kube::ObjectMeta& machine, PriceTable table) {
  const api::CapacityType type = capacity_type(machine);
  const std::string_view instance = machine.label("node.kubernetes.io/instance-type");
  const std::string_view zone = machine.label("topology.kubernetes.io/zone");
  const auto stated_on_demand = [&](PriceTable prices) {
    return first_stated(prices, instance, api::CapacityType::OnDemand, zone);
  };
  auto on_demand = stated_on_demand(table);
  if (!on_demand) on_demand = gpupool::on_demand_micro_usd_per_hour(instance);

  auto price = first_stated(spec.prices, instance, type, zone);
  if (!price) price = parse_usd(machine.label("eks-node-viewer/instance-price"));
  if (!price) price = first_stated(table, instance, type, zone);
  if (!price) price = usual_price(instance, type, on_demand);

  if (const auto of_pool = stated_on_demand(spec.prices)) on_demand = of_pool;
  return {.per_hour = price.value_or(0),
          .on_demand_per_hour = on_demand.value_or(price.value_or(0)),
          .is_known = price.has_value()};
}

}  // namespace reprise::controllers::prices
