#include "controllers/placement/policy/safety_net.h"

#include <algorithm>
#include <cmath>

namespace reprise::controllers::placement {
namespace {

// Sums of tenths of hours: a slack of exactly two changeovers must count as such.
constexpr double kRounding = 1e-9;

}  // namespace

bool Allowed::operator()(Mode mode) const {
  switch (mode) {
    case Mode::Idle:
      return idle;
    case Mode::Spot:
      return spot;
    case Mode::OnDemand:
      return on_demand;
  }
  return false;
}

Allowed allowed(const Terms& terms, const Situation& now) {
  const double spare = slack(terms, now) + kRounding;
  const double d = terms.changeover;
  const bool on_spot = now.mode == Mode::Spot && now.spot_up;
  Allowed may;
  // Leaving on-demand or living spot for nothing would waste a start that has been paid for.
  const bool stopped = now.mode == Mode::Idle || (now.mode == Mode::Spot && !now.spot_up);
  may.idle = stopped && spare - now.tick >= d;
  // Should spot be lost at once, its changeover is paid in vain and all of the work is still to be bought.
  const double dearest = std::max(terms.spot_price, terms.highest_spot_price);
  const double worst = now.spent + dearest * d + terms.on_demand_price * (now.work_left + d);
  const bool affordable =
      std::isinf(terms.cost_limit) || (dearest <= terms.on_demand_price && worst <= terms.cost_limit + kRounding);
  may.spot = on_spot || (now.spot_up && spare >= 2 * d && affordable);
  may.on_demand = now.mode == Mode::OnDemand || spare >= d;
  return may;
}

Mode keep_safe(Mode wanted, const Allowed& may, const Situation& now) {
  if (may(wanted)) return wanted;
  if (now.mode == Mode::Spot && now.spot_up) return Mode::Spot;
  return Mode::OnDemand;
}

double cost_limit(const Terms& terms, double max_extra_cost_percent) {
  const double on_demand = terms.on_demand_price * (terms.work + terms.changeover);
  return on_demand + std::max(on_demand * max_extra_cost_percent / 100, terms.on_demand_price * terms.changeover);
}

}  // namespace reprise::controllers::placement
