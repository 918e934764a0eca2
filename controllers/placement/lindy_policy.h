// The policy of Reprise: weighs spot, on-demand and waiting by what the rest of the job will cost (value_table.h), with
// what has been seen of the zone (zone_memory.h).
#pragma once

#include <optional>

#include "controllers/placement/policy.h"
#include "controllers/placement/value_table.h"
#include "controllers/placement/zone_memory.h"

namespace reprise::controllers::placement {

// Mean USD until the end after choosing each now; infinite where the choice is not allowed.
struct ActionValues {
  double idle = 0;
  double spot = 0;
  double on_demand = 0;
};

// The values at one moment, from a table that covers it. `allowed` is not consulted.
[[nodiscard]] ActionValues action_values(const Terms& terms, const Situation& now, const ZoneMemory& zone,
                                         const ValueTable& table);

class LindyPolicy final : public Policy {
 public:
  // `zone`: what other jobs have seen of the zone before.
  explicit LindyPolicy(const Terms& terms, ZoneMemory zone = {}) : terms_(terms), zone_(zone) {}

  Mode decide(const Situation& now) override;

  [[nodiscard]] const ZoneMemory& zone() const { return zone_; }
  [[nodiscard]] std::size_t solves() const { return solves_; }

 private:
  void refresh(const Situation& now);

  Terms terms_;
  ZoneMemory zone_;
  std::optional<ValueTable> table_;
  Climate solved_for_;
  double solved_at_ = 0;
  double last_tick_ = 0;
  std::size_t solves_ = 0;
};

}  // namespace reprise::controllers::placement
