// The policy of Reprise for several zones. The value table, solved for the zones taken together, says what an hour of
// progress is worth now; a zone is worth trying when what it will probably yield until it is lost is worth more than it
// costs, and moving to it when the difference pays for the changeover.
#pragma once

#include <optional>
#include <vector>

#include "controllers/placement/policy/lindy_policy.h"
#include "controllers/placement/policy/value_table.h"
#include "controllers/placement/policy/zones/zone_memory.h"
#include "controllers/placement/policy/zones/zones.h"

namespace reprise::controllers::placement {

class LindyZonesPolicy final : public ZonesPolicy {
 public:
  // `memories`: what is remembered of each zone; empty: nothing.
  explicit LindyZonesPolicy(const ZonesTerms& terms, std::vector<ZoneMemory> memories = {})
      : terms_(terms), zones_(std::move(memories)) {}

  std::vector<std::size_t> zones_to_try(const ZonesSituation& now) override;
  void tried(std::size_t zone, bool launched) override;
  ZonesChoice otherwise(const ZonesSituation& now) override;

  // Compares the zones in `now`, best first; `names` in the order of the offers. To be called after zones_to_try(now).
  [[nodiscard]] std::vector<ZoneStanding> standings(const ZonesSituation& now,
                                                    const std::vector<std::string>& names) const;

 private:
  struct Joint {  // the zones taken together, as one whose spot is up where any of theirs is
    Terms terms;
    Climate climate;
    double failover = 0;
  };

  void watch(const ZonesSituation& now);
  void refresh(const ZonesSituation& now);
  [[nodiscard]] Joint joint(const ZonesSituation& now) const;
  [[nodiscard]] double worth_of_an_hour(const ZonesSituation& now) const;
  [[nodiscard]] double net_per_hour(const ZonesSituation& now, std::size_t zone, double worth) const;
  [[nodiscard]] bool prefers_spot(const ZonesSituation& now) const;
  [[nodiscard]] bool affordable(const ZonesSituation& now, std::size_t zone) const;
  void saw_any(bool up);

  ZonesTerms terms_;
  std::vector<ZoneMemory> zones_;
  std::vector<double> seen_at_;  // per zone, hours from the start
  ZoneMemory any_;               // spells in which some zone was up
  double any_seen_at_ = 0;
  double now_ = 0;
  double tick_ = 0;
  bool on_spot_ = false;  // after the last decision
  bool lost_ = false;     // between the last decision and this one
  double losses_ = 0;
  double failovers_ = 0;  // losses after which another zone was up at once
  Joint joint_;
  std::optional<ValueTable> table_;
  Beyond beyond_;
  Joint solved_for_;
  double solved_at_ = 0;
};

}  // namespace reprise::controllers::placement
