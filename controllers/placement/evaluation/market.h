// The market that one job was offered, tick by tick.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise::controllers::placement {

struct Market {
  double tick = 0;                 // hours
  std::vector<std::uint8_t> up;    // per tick: spot for the whole gang could be had
  std::vector<double> spot_price;  // per tick, USD per hour of the whole gang; empty: always that of the terms
};

// The price of spot in a tick; past the end, the last one.
[[nodiscard]] inline double price_at(const Market& market, std::size_t tick, double otherwise) {
  if (market.spot_price.empty()) return otherwise;
  return market.spot_price[std::min(tick, market.spot_price.size() - 1)];
}

}  // namespace reprise::controllers::placement
