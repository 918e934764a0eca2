// Runs one job over recorded spot capacity of several zones; rules as in replay.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controllers/placement/evaluation/market.h"
#include "controllers/placement/evaluation/replay.h"
#include "controllers/placement/policy/zones/zones.h"

namespace reprise::controllers::placement {

struct ZoneMarket {
  std::string name;
  std::string region;
  Market market;
  std::vector<double> spot_price;  // per tick; one value: always the same
  double on_demand_price = 0;
};

enum class LastTick {
  ProRata,  // the last tick of a job is paid for the part that it needs
  Free,     // as the published figures for several zones count
};

// Called with each tick, with the zone that it ran in (0 when idle).
using ZoneTickSink = std::function<void(double begin, double hours, Mode mode, std::size_t zone)>;

[[nodiscard]] Outcome replay_zones(const ZonesTerms& terms, const std::vector<ZoneMarket>& zones, std::size_t first,
                                   ZonesPolicy& policy, LastTick last_tick = LastTick::ProRata,
                                   const ZoneTickSink& sink = {});

// "us-west-2a" and "us-central1-a" lie in "us-west-2" and "us-central1"; another name is a region of its own.
[[nodiscard]] std::string region_of(const std::string& zone);

}  // namespace reprise::controllers::placement
