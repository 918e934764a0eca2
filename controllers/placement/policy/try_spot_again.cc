#include "controllers/placement/policy/try_spot_again.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {

double try_spot_again_after(const Terms& terms, double outage_age) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  constexpr double kHorizon = 6;
  const double saved = (terms.on_demand_price - terms.spot_price) * mean_remaining(kSpotSpells, 1, 0, kHorizon);
  const double lost = terms.changeover * terms.on_demand_price;
  if (saved <= lost) return kNever;
  const double wanted = lost / saved;  // chance
  const double span = (kOutages.beta + std::max(outage_age, 0.0)) * (std::pow(1 - wanted, -1 / kOutages.alpha) - 1);
  return std::max(span, kTryAgainAtTheEarliest);
}

}  // namespace reprise::controllers::placement
