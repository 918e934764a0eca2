#include "controllers/placement/policy/zones/zones.h"

namespace reprise::controllers::placement {

double egress_to(const ZonesTerms& terms, const ZonesSituation& now, std::size_t zone) {
  const auto& offers = *now.offers;
  return now.zone && offers[*now.zone].region != offers[zone].region ? terms.egress : 0;
}

std::size_t cheapest_on_demand(const ZonesTerms& terms, const ZonesSituation& now) {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t z = 0; z < now.offers->size(); ++z) {
    const double cost =
        (*now.offers)[z].on_demand_price * (now.job.work_left + terms.changeover) + egress_to(terms, now, z);
    if (z > 0 && cost >= least) continue;
    best = z;
    least = cost;
  }
  return best;
}

}  // namespace reprise::controllers::placement
