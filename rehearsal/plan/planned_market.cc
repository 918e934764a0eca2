#include "rehearsal/plan/planned_market.h"

#include <algorithm>
#include <cmath>

namespace reprise::rehearsal {

using runtime::Duration;
using simulator::SpotState;

const SpotPlan::Zone* PlannedMarket::zone_named(std::string_view name) const {
  const auto found = std::ranges::find(plan_.zones, name, &SpotPlan::Zone::name);
  return found == plan_.zones.end() ? nullptr : &*found;
}

SpotState PlannedMarket::state(std::string_view name, Duration at) const {
  SpotState state;
  const SpotPlan::Zone* zone = zone_named(name);
  if (zone == nullptr) return {.nodes = 0};
  for (const SpotPlan::Edge& edge : zone->edges) {
    if (edge.at > at) break;
    state.nodes = edge.available ? SpotState{}.nodes : 0;
  }
  if (on_demand_ > 0 && zone->price_per_hour > 0)
    state.price_permille = std::max(1, static_cast<int>(std::lround(zone->price_per_hour / on_demand_ * 1000)));
  return state;
}

std::optional<Duration> PlannedMarket::next_change(std::string_view name, Duration after) const {
  const SpotPlan::Zone* zone = zone_named(name);
  if (zone == nullptr) return std::nullopt;
  for (const SpotPlan::Edge& edge : zone->edges)
    if (edge.at > after) return edge.at;
  return std::nullopt;
}

}  // namespace reprise::rehearsal
