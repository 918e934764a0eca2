// Placement over several zones of one cluster: which zone to try, when to move, when to buy on-demand.
//
// A zone is not watched without being tried: a policy names zones to try, is told which try launched, and says what to
// do when none did. So nothing is spent on probes.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "controllers/placement/policy/types.h"

namespace reprise::controllers::placement {

struct ZoneOffer {  // known of a zone without trying it
  std::string region;
  double spot_price = 0;
  double on_demand_price = 0;
};

// `zone`: where it runs, or ran last; nothing before the first start.
struct ZonesSituation {
  Situation job;  // `spot_up`: it runs on spot that is still there
  std::optional<std::size_t> zone;
  const std::vector<ZoneOffer>* offers = nullptr;
};

struct ZonesTerms {
  double work = 0;
  double deadline = 0;
  double changeover = 0.2;
  double egress = 1;              // USD for a start in another region than the last
  double highest_spot_price = 0;  // the most that spot may cost in any zone; 0: it stays what it is
  double cost_limit = std::numeric_limits<double>::infinity();
};

struct ZonesChoice {
  Mode mode = Mode::Idle;
  std::size_t zone = 0;  // for on-demand, or the spot it stays on
};

// A policy's opinion of one zone at one moment, to be told to people.
struct ZoneStanding {
  std::string zone;
  std::optional<bool> up;   // as seen last; nothing: never tried
  double age = 0;           // hours of that spell, guessed where the zone was not watched
  double likely_more = 0;   // half of all such spells last longer than so many hours more
  double net_per_hour = 0;  // USD that an hour paid there yields beyond its price, the way there counted
};

class ZonesPolicy {
 public:
  virtual ~ZonesPolicy() = default;
  // Zones to try spot in now, best first; empty: none. Called once per tick, first.
  [[nodiscard]] virtual std::vector<std::size_t> zones_to_try(const ZonesSituation& now) = 0;
  // The outcome of each try, in order; the first that launched ends them.
  virtual void tried(std::size_t zone, bool launched) = 0;
  // Decides when none launched: stay, wait, or on-demand.
  [[nodiscard]] virtual ZonesChoice otherwise(const ZonesSituation& now) = 0;
};

// USD that a start in `zone` costs because the checkpoint lies in another region.
[[nodiscard]] double egress_to(const ZonesTerms& terms, const ZonesSituation& now, std::size_t zone);

// The zone whose on-demand finishes the job cheapest, counting egress.
[[nodiscard]] std::size_t cheapest_on_demand(const ZonesTerms& terms, const ZonesSituation& now);

}  // namespace reprise::controllers::placement
