#include "simulator/scenarios/workload/market.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

bool available(const ZonePlan& zone, Duration at) {
  const auto passed = std::ranges::upper_bound(zone.edges, at) - zone.edges.begin();
  return zone.available == (passed % 2 == 0);
}

}  // namespace

const ZonePlan* WorkloadMarket::find(std::string_view zone) const {
  const auto found = std::ranges::find(workload_.zones, zone, &ZonePlan::name);
  return found == workload_.zones.end() ? nullptr : &*found;
}

SpotState WorkloadMarket::state(std::string_view zone, Duration at) const {
  const ZonePlan* plan = find(zone);
  SpotState state{.price_permille = plan == nullptr ? 1000 : static_cast<int>(plan->spot_price * 1000)};
  if (plan == nullptr || (at < workload_.length && !available(*plan, at))) state.nodes = 0;
  return state;
}

std::optional<Duration> WorkloadMarket::next_change(std::string_view zone, Duration after) const {
  const ZonePlan* plan = find(zone);
  if (plan == nullptr || after >= workload_.length) return std::nullopt;
  const auto next = std::ranges::upper_bound(plan->edges, after);
  if (next != plan->edges.end() && *next < workload_.length) return *next;
  if (available(*plan, after)) return std::nullopt;
  return workload_.length;
}

}  // namespace reprise::simulator
