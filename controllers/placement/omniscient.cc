#include "controllers/placement/omniscient.h"

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
};

struct Bill {
  double cost;
  double work;
};

Bill bill(const Plan& plan, const Terms& terms) {
  return {.cost = plan.cost, .work = plan.spot + plan.on_demand - plan.starts * terms.changeover};
}

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

Run omniscient(const Terms& terms, const Market& market, std::size_t first) {
  // Enough is bought for sure when an hour of work is worth all of on-demand.
  double low = 0;
  double high = terms.on_demand_price * (terms.work + terms.changeover) / terms.changeover + terms.on_demand_price;
  Plan too_little;
  Plan enough = best_plan(terms, market, first, high);
  for (int i = 0; i < 50 && high - low > 1e-9 * terms.on_demand_price; ++i) {
    const double worth = (low + high) / 2;
    const Plan plan = best_plan(terms, market, first, worth);
    const bool suffices = bill(plan, terms).work >= terms.work;
    (suffices ? enough : too_little) = plan;
    (suffices ? high : low) = worth;
  }
  const Bill more = bill(enough, terms);
  const Bill less = bill(too_little, terms);
  const double share =
      more.work > less.work ? std::clamp((terms.work - less.work) / (more.work - less.work), 0.0, 1.0) : 1;
  const auto mixed = [&](double a, double b) { return share * a + (1 - share) * b; };
  Run run;
  run.cost = mixed(more.cost, less.cost);
  run.starts = mixed(enough.starts, too_little.starts);
  run.spot_hours = mixed(enough.spot, too_little.spot);
  run.on_demand_hours = mixed(enough.on_demand, too_little.on_demand);
  run.finish = terms.deadline;
  run.idle_hours = std::max(0.0, terms.deadline - run.spot_hours - run.on_demand_hours);
  return run;
}

}  // namespace reprise::controllers::placement
