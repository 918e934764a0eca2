#include "rehearsal/plan/recorded_spot.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

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

}  // namespace reprise::rehearsal
