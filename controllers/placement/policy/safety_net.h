// The decisions that endanger neither the deadline nor the cost limit. Every policy chooses among them, so that both
// promises hold whatever the policy thinks and whatever spot does:
//  - no deadline is missed as long as a changeover takes at most `Terms::changeover`, a decision is made each tick and
//    on-demand can be had: a start on on-demand stays possible at every later decision;
//  - `spent` never ends above `Terms::cost_limit` when it was at least the on-demand price of work and one changeover.
#pragma once

#include "controllers/placement/policy/types.h"

namespace reprise::controllers::placement {

struct Allowed {
  bool idle = false;
  bool spot = false;
  bool on_demand = false;

  [[nodiscard]] bool operator()(Mode mode) const;
};

[[nodiscard]] Allowed allowed(const Terms& terms, const Situation& now);

// `wanted` where it is allowed; else spot that runs already, else on-demand, which a job that kept to the rules can
// always still afford in time.
[[nodiscard]] Mode keep_safe(Mode wanted, const Allowed& may, const Situation& now);

// The limit that `maxExtraCostPercent` means: on-demand for all of the work and one start, plus that share, and never
// less than one more changeover.
[[nodiscard]] double cost_limit(const Terms& terms, double max_extra_cost_percent);

}  // namespace reprise::controllers::placement
