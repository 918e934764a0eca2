// What the market offered one job, tick by tick.
#pragma once

#include <cstdint>
#include <vector>

namespace reprise::controllers::placement {

struct Market {
  double tick = 0;               // hours
  std::vector<std::uint8_t> up;  // per tick: spot for the whole gang could be had
};

}  // namespace reprise::controllers::placement
