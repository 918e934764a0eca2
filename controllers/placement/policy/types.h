// The terms of placement: the needs of a job, the view of it now, the decisions that are allowed.
// All times are hours, all money is USD, all prices are USD per hour of the whole gang (N nodes count as one).
#pragma once

#include <limits>

namespace reprise::controllers::placement {

enum class Mode {
  Idle,      // waiting for spot: no machine is rented
  Spot,      // on spot, until the provider takes it back
  OnDemand,  // on capacity that is never taken back
};

constexpr double kNoDeadline = std::numeric_limits<double>::infinity();

// The facts that stay the same while a job runs.
struct Terms {
  double work = 0;                // hours of useful running that the whole job needs
  double deadline = kNoDeadline;  // hours from the start, for all of it
  double changeover = 0.2;        // paid hours from "start it there" to the first new work; at most this long
  double on_demand_price = 0;
  double spot_price = 0;
  double highest_spot_price = 0;  // the most that spot may cost while the job runs; 0: it stays what it is
  double cost_limit = std::numeric_limits<double>::infinity();  // USD that no choice may lead beyond; see cost_limit()
};

// The view at one moment. `spot_up`: spot for the whole gang could be had now. Nothing else of the market is known.
struct Situation {
  Mode mode = Mode::Idle;
  bool spot_up = false;
  double work_left = 0;
  double elapsed = 0;
  double changeover_left = 0;  // left of the changeover that is under way; 0 when idle
  double spent = 0;
  double tick = 1.0 / 6;  // until the next decision, at the latest
};

[[nodiscard]] constexpr double time_left(const Terms& terms, const Situation& now) {
  return terms.deadline - now.elapsed;
}

// Hours that may still be wasted without missing the deadline, if nothing ever had to be started again.
[[nodiscard]] constexpr double slack(const Terms& terms, const Situation& now) {
  return time_left(terms, now) - now.work_left - now.changeover_left;
}

}  // namespace reprise::controllers::placement
