#include "controllers/prices/price_table.h"

#include <algorithm>
#include <set>

#include "controllers/gpupool/providers/catalog.h"

namespace reprise::controllers::prices {

std::optional<MicroUsd> first_stated(PriceTable table, std::string_view instance_type, api::CapacityType type,
                                     std::string_view zone) {
  for (const api::InstancePrice& price : table) {
    if (price.instance_type == instance_type && price.capacity_type == type &&
        (price.zone.empty() || price.zone == zone)) {
      if (const auto usd = parse_usd(price.per_hour)) return usd;
    }
  }
  return std::nullopt;
}

namespace {

// One price for all zones out of those that the entries state and of what the zones cost that they leave out.
template <class Choose>
std::optional<MicroUsd> over_zones(PriceTable table, std::string_view instance_type, api::CapacityType type,
                                   std::optional<MicroUsd> elsewhere, Choose choose) {
  std::set<std::string_view> zones;
  std::optional<MicroUsd> chosen;
  for (const api::InstancePrice& price : table) {
    if (price.instance_type != instance_type || price.capacity_type != type) continue;
    const auto usd = parse_usd(price.per_hour);
    if (!usd || !zones.insert(price.zone).second) continue;
    chosen = chosen ? choose(*chosen, *usd) : *usd;
    if (price.zone.empty()) return chosen;  // later entries are never taken
  }
  if (!chosen || !elsewhere) return chosen ? chosen : elsewhere;
  return choose(*chosen, *elsewhere);
}

}  // namespace

std::optional<MicroUsd> dearest_stated(PriceTable table, std::string_view instance_type, api::CapacityType type,
                                       std::optional<MicroUsd> elsewhere) {
  return over_zones(table, instance_type, type, elsewhere,
                    [](MicroUsd one, MicroUsd other) { return std::max(one, other); });
}

std::optional<MicroUsd> cheapest_stated(PriceTable table, std::string_view instance_type, api::CapacityType type,
                                        std::optional<MicroUsd> elsewhere) {
  return over_zones(table, instance_type, type, elsewhere,
                    [](MicroUsd one, MicroUsd other) { return std::min(one, other); });
}

std::optional<MicroUsd> usual_price(std::string_view instance_type, api::CapacityType type,
                                    std::optional<MicroUsd> on_demand) {
  if (!on_demand || type != api::CapacityType::Spot || gpupool::find_instance_type(instance_type) == nullptr)
    return on_demand;
  return *on_demand * gpupool::kSpotPercentOfOnDemand / 100;
}

}  // namespace reprise::controllers::prices
