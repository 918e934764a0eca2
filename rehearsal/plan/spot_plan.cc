#include "rehearsal/plan/spot_plan.h"

#include <algorithm>
#include <cmath>

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using simulator::SpotState;

Duration hours(double count) {
  return Duration{std::llround(count * 3'600'000)};
}

}  // namespace

SpotPlan spot_plan_of(const controllers::placement::Trace& trace, int nodes) {
  SpotPlan plan;
  for (const auto& zone : trace.zones) {
    const auto market = controllers::placement::market_of(trace, zone, nodes);
    SpotPlan::Zone planned{.name = zone.name, .price_per_hour = trace.spot_price};
    if (!zone.prices.empty()) planned.price_per_hour = zone.prices.front();
    bool available = true;
    for (std::size_t tick = 0; tick < market.up.size(); ++tick) {
      const bool up = market.up[tick] != 0;
      if (up == available) continue;
      available = up;
      planned.edges.push_back({.at = hours(static_cast<double>(tick) * trace.tick), .available = up});
    }
    plan.zones.push_back(std::move(planned));
  }
  return plan;
}

SpotPlan steady_spot_plan(std::string name, double price_per_hour) {
  return {.zones = {{.name = std::move(name), .price_per_hour = price_per_hour}}};
}

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
