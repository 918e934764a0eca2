// Uniform Progress with eager failover over several zones, to measure against: tries the cheapest zone first, those of
// the region that spot was lost in last.
#pragma once

#include "controllers/placement/policy/zones/zones.h"

namespace reprise::controllers::placement {

class UniformZones final : public ZonesPolicy {
 public:
  explicit UniformZones(const ZonesTerms& terms) : terms_(terms) {}

  std::vector<std::size_t> zones_to_try(const ZonesSituation& now) override;
  void tried(std::size_t, bool) override {}
  ZonesChoice otherwise(const ZonesSituation& now) override;

 private:
  [[nodiscard]] double lead(const ZonesSituation& now, double ahead) const;

  ZonesTerms terms_;
};

}  // namespace reprise::controllers::placement
