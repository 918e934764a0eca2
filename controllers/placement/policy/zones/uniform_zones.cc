#include "controllers/placement/policy/zones/uniform_zones.h"

#include <algorithm>
#include <tuple>

namespace reprise::controllers::placement {

double UniformZones::lead(const ZonesSituation& now, double ahead) const {
  constexpr double kRounding = 1e-9;
  return terms_.work - now.job.work_left - (now.job.elapsed + ahead) * terms_.work / terms_.deadline + kRounding;
}

std::vector<std::size_t> UniformZones::zones_to_try(const ZonesSituation& now) {
  const double spare = terms_.deadline - now.job.elapsed - now.job.work_left - now.job.changeover_left;
  if (now.job.mode == Mode::Spot || spare < 2 * terms_.changeover) return {};
  if (now.job.mode == Mode::OnDemand && lead(now, 2 * terms_.changeover) < 0) return {};
  const auto& offers = *now.offers;
  std::vector<std::size_t> zones(offers.size());
  for (std::size_t z = 0; z < zones.size(); ++z) zones[z] = z;
  std::ranges::sort(zones, {}, [&](std::size_t z) {
    return std::tuple(now.zone && offers[*now.zone].region == offers[z].region, offers[z].spot_price, z);
  });
  return zones;
}

ZonesChoice UniformZones::otherwise(const ZonesSituation& now) {
  const std::size_t zone = now.zone.value_or(0);
  const double spare = terms_.deadline - now.job.elapsed - now.job.work_left - now.job.changeover_left;
  const bool must_run = spare - now.job.tick < terms_.changeover;
  switch (now.job.mode) {
    case Mode::Spot:
      return {.mode = Mode::Spot, .zone = zone};
    case Mode::Idle:
      return {.mode = must_run || lead(now, 0) < 0 ? Mode::OnDemand : Mode::Idle, .zone = zone};
    case Mode::OnDemand:
      return {.mode = Mode::OnDemand, .zone = zone};
  }
  return {.mode = Mode::OnDemand, .zone = zone};
}

}  // namespace reprise::controllers::placement
