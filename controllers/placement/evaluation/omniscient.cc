#include "controllers/placement/evaluation/omniscient.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reprise::controllers::placement {
namespace {

struct Plan {
  double priced = 0;  // cost less what the work is worth
  double cost = 0;
  double spot = 0;
  double on_demand = 0;
  double starts = 0;

  [[nodiscard]] double work(const Terms& terms) const { return spot + on_demand - starts * terms.changeover; }
};

const Plan& better(const Plan& a, const Plan& b) {
  return b.priced < a.priced ? b : a;
}

// The best plan when an hour of work is worth `worth`.
Plan best_plan(const Terms& terms, const Market& market, std::size_t first, double worth) {
  const double never = std::numeric_limits<double>::infinity();
  Plan idle;
  Plan spot{.priced = never};
  Plan paid{.priced = never};
  const auto begun = [&](Plan plan) {
    plan.priced += worth * terms.changeover;
    plan.starts += 1;
    return plan;
  };
  double left = terms.deadline;
  for (std::size_t t = first; left > 1e-9; ++t, left -= market.tick) {
    const double hours = std::min(market.tick, left);
    const bool up = t < market.up.size() && market.up[t] != 0;
    const Plan stopped = better(idle, better(spot, paid));
    const Plan started = begun(stopped);
    Plan on_spot = better(spot, started);
    Plan on_paid = better(paid, started);
    const double price = price_at(market, t, terms.spot_price);
    on_spot.priced += hours * (price - worth);
    on_spot.cost += hours * price;
    on_spot.spot += hours;
    on_paid.priced += hours * (terms.on_demand_price - worth);
    on_paid.cost += hours * terms.on_demand_price;
    on_paid.on_demand += hours;
    idle = stopped;
    spot = up ? on_spot : Plan{.priced = never};
    paid = on_paid;
  }
  return better(idle, better(spot, paid));
}

}  // namespace

Outcome omniscient(const Terms& terms, const Market& market, std::size_t first) {
  // Cost over work of the best plans is convex, so the plan that is best at the slope between one that does too little
  // and one that does enough either lies below both or shows that they are next to each other.
  constexpr int kMostPlans = 60;
  constexpr double kRounding = 1e-9;
  Plan too_little;
  // Enough is bought for sure when an hour of work is worth all of on-demand.
  const double most =
      terms.on_demand_price * (terms.work + terms.changeover) / terms.changeover + terms.on_demand_price;
  Plan enough = best_plan(terms, market, first, most);
  for (int i = 0; i < kMostPlans && enough.work(terms) > terms.work; ++i) {
    const double worth = (enough.cost - too_little.cost) / (enough.work(terms) - too_little.work(terms));
    const Plan plan = best_plan(terms, market, first, worth);
    if (plan.priced >= enough.cost - worth * enough.work(terms) - kRounding) break;
    (plan.work(terms) >= terms.work ? enough : too_little) = plan;
  }
  const double span = enough.work(terms) - too_little.work(terms);
  const double share = span > 0 ? std::clamp((terms.work - too_little.work(terms)) / span, 0.0, 1.0) : 1;
  const auto mixed = [&](double a, double b) { return share * a + (1 - share) * b; };
  Outcome run;
  run.cost = mixed(enough.cost, too_little.cost);
  run.starts = mixed(enough.starts, too_little.starts);
  run.spot_hours = mixed(enough.spot, too_little.spot);
  run.on_demand_hours = mixed(enough.on_demand, too_little.on_demand);
  run.finish = terms.deadline;
  run.idle_hours = std::max(0.0, terms.deadline - run.spot_hours - run.on_demand_hours);
  return run;
}

}  // namespace reprise::controllers::placement
