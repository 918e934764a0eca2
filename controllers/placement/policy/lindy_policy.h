// The policy of Reprise: weighs spot, on-demand and waiting by what the rest of the job will cost (value_table.h), with
// what has been seen of the zone (zone_memory.h).
#pragma once

#include <optional>

#include "controllers/placement/policy/policy.h"
#include "controllers/placement/policy/value_table.h"
#include "controllers/placement/policy/zones/zone_memory.h"

namespace reprise::controllers::placement {

// Mean USD until the end after choosing each now; infinite where the choice is not allowed.
struct ActionValues {
  double idle = 0;
  double spot = 0;
  double on_demand = 0;
};

// The part of the time left and of the slack that a table need not see. A job that has weeks is decided like one that
// has `horizon` hours and the same share of slack: an hour of slack is worth the same to both, and the table stays
// small.
constexpr double kDecisionHorizon = 100;
struct Beyond {
  double time = 0;
  double slack = 0;
};
[[nodiscard]] Beyond beyond_horizon(const Terms& terms, const Situation& now, double horizon = kDecisionHorizon);

// The values at one moment, from a table that covers it less what is `beyond`. `allowed` is not consulted.
[[nodiscard]] ActionValues action_values(const Terms& terms, const Situation& now, const ZoneMemory& zone,
                                         const ValueTable& table, const Beyond& beyond = {});

class LindyPolicy final : public Policy {
 public:
  // `zone`: what other jobs have seen of the zone before.
  explicit LindyPolicy(const Terms& terms, ZoneMemory zone = {}, double horizon = kDecisionHorizon)
      : terms_(terms), zone_(zone), horizon_(horizon) {}

  Mode decide(const Situation& now) override;

  [[nodiscard]] const ZoneMemory& zone() const { return zone_; }
  [[nodiscard]] std::size_t solves() const { return solves_; }

 private:
  void refresh(const Situation& now);

  Terms terms_;
  ZoneMemory zone_;
  double horizon_;
  std::optional<ValueTable> table_;
  Beyond beyond_;
  Climate solved_for_;
  double solved_at_ = 0;
  double last_tick_ = 0;
  std::size_t solves_ = 0;
};

}  // namespace reprise::controllers::placement
