// The availability and price of spot machines. Scenarios implement it from recorded traces.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

struct SpotState {
  int nodes = std::numeric_limits<int>::max();  // available in the zone; running ones count
  int price_permille = 400;                     // per mille of the on-demand price

  [[nodiscard]] bool available() const { return nodes > 0; }
};

class SpotMarket {
 public:
  virtual ~SpotMarket() = default;
  // Times are the loop's.
  [[nodiscard]] virtual SpotState state(std::string_view zone, Duration at) const = 0;
  // The first moment after `after` when the state of the zone changes; empty: it stays.
  [[nodiscard]] virtual std::optional<Duration> next_change(std::string_view zone, Duration after) const = 0;
};

// Always available.
class SteadySpotMarket final : public SpotMarket {
 public:
  [[nodiscard]] SpotState state(std::string_view, Duration) const override { return {}; }
  [[nodiscard]] std::optional<Duration> next_change(std::string_view, Duration) const override { return {}; }
};

}  // namespace reprise::simulator
