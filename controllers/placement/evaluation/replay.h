// Runs one job over recorded spot capacity under a policy: what would it have cost?
//
// At the start of each tick spot that is not up is lost; then the policy decides. What runs is paid for the whole tick,
// the last one for the part that is needed. A start first spends the changeover, which does no work; a loss within it
// loses what was spent on it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "controllers/placement/evaluation/market.h"
#include "controllers/placement/policy/policy.h"

namespace reprise::controllers::placement {

struct Outcome {
  double cost = 0;
  double finish = 0;  // hours from the start
  bool missed = false;
  double starts = 0;
  double spot_hours = 0;
  double on_demand_hours = 0;
  double idle_hours = 0;

  void count(Mode mode, double hours);
};

// Called with each tick: its begin in hours from the start, its length, what ran.
using TickSink = std::function<void(double begin, double hours, Mode mode)>;

// Draws how long each changeover really takes, at most `Terms::changeover`, which is all the policy knows.
using ChangeoverSource = std::function<double()>;

// Replays from tick `first`. Past the end of the market spot counts as down, and a job without a deadline is finished
// on on-demand. Where the market has prices of its own they are paid instead of the one in the terms.
[[nodiscard]] Outcome replay(const Terms& terms, const Market& market, std::size_t first, Policy& policy,
                             const TickSink& sink = {}, const ChangeoverSource& changeover = {});

// The starts that fit: 0, every, 2 * every, ... while start + hours + 2 ticks lies within the market.
[[nodiscard]] std::vector<std::size_t> starts_that_fit(const Market& market, double every, double hours);

}  // namespace reprise::controllers::placement
