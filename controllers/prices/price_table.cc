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

std::optional<MicroUsd> dearest_stated(PriceTable table, std::string_view instance_type, api::CapacityType type,
                                       std::optional<MicroUsd> elsewhere) {
  std::set<std::string_view> zones;
  MicroUsd dearest = 0;
  for (const api::InstancePrice& price : table) {
    if (price.instance_type != instance_type || price.capacity_type != type) continue;
    const auto usd = parse_usd(price.per_hour);
    if (!usd || !zones.insert(price.zone).second) continue;
    dearest = std::max(dearest, *usd);
    if (price.zone.empty()) return dearest;  // what comes after it is never taken
  }
  return zones.empty() ? elsewhere : std::max(dearest, elsewhere.value_or(0));
}

std::optional<MicroUsd> usual_price(std::string_view instance_type, api::CapacityType type,
                                    std::optional<MicroUsd> on_demand) {
  if (!on_demand || type != api::CapacityType::Spot || gpupool::find_instance_type(instance_type) == nullptr)
    return on_demand;
  return *on_demand * gpupool::kSpotPercentOfOnDemand / 100;
}

}  // namespace reprise::controllers::prices
