#include "controllers/placement/policy/lindy_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kResolveHours = 6;
constexpr double kSlackKept = 10;     // changeovers that are never scaled away
constexpr double kThetaDrift = 0.15;  // a table is of use until a theta has moved by this share
// Leaving on-demand must promise more than this share of what one tick on spot saves: below that it is the grid of the
// table that decides, and a return that fails costs two starts.
constexpr double kReturnGain = 0.15;

bool drifted(double now, double then) {
  return std::abs(now / then - 1) > kThetaDrift;
}

}  // namespace

ActionValues action_values(const Terms& terms, const Situation& now, const ZoneMemory& zone, const ValueTable& table,
                           const Beyond& beyond) {
  const double time = time_left(terms, now) - now.tick - beyond.time;
  const double spare = slack(terms, now);
  const double older = zone.age() + now.tick;
  const double d = terms.changeover;
  const bool up = now.spot_up;
  const double ends = up ? ends_within(kSpotSpells, zone.theta_up(), zone.age(), now.tick)
                         : ends_within(kOutages, zone.theta_down(), zone.age(), now.tick);
  const auto after = [&](Mode mode, double spare_then) {
    // Spot that is lost leaves its job idle.
    const Mode fallen = mode == Mode::Spot ? Mode::Idle : mode;
    return ends * table.value(fallen, !up, 0, time, spare_then - beyond.slack) +
           (1 - ends) * table.value(mode, up, older, time, spare_then - beyond.slack);
  };
  const auto run = [&](Mode mode, double price) {
    const bool stays = now.mode == mode;
    const double hours = now.work_left + (stays ? now.changeover_left : d);
    const double spare_then = stays ? spare : time_left(terms, now) - now.work_left - d;
    return price * std::min(now.tick, hours) + after(mode, spare_then);
  };
  ActionValues values{.idle = after(Mode::Idle, spare - now.tick),
                      .spot = run(Mode::Spot, terms.spot_price),
                      .on_demand = run(Mode::OnDemand, terms.on_demand_price)};
  // On-demand costs at most what it costs until the end, as far as the table sees.
  const double rest = time_left(terms, now) - beyond.time - (spare - beyond.slack);
  const double start = now.mode == Mode::OnDemand ? 0 : d - now.changeover_left;
  values.on_demand = std::min(values.on_demand, terms.on_demand_price * (rest + start));
  return values;
}

Beyond beyond_horizon(const Terms& terms, const Situation& now, double horizon) {
  const double time = time_left(terms, now);
  const double spare = slack(terms, now);
  if (time <= horizon || spare <= 0) return {};
  const double kept = std::max(spare * horizon / time, std::min(spare, kSlackKept * terms.changeover));
  return {.time = time - horizon, .slack = spare - kept};
}

void LindyPolicy::refresh(const Situation& now) {
  beyond_ = beyond_horizon(terms_, now, horizon_);
  const double time = time_left(terms_, now) - beyond_.time;
  const double spare = slack(terms_, now) - beyond_.slack;
  const Climate climate{.theta_up = zone_.theta_up(), .theta_down = zone_.theta_down()};
  if (table_ && now.elapsed - solved_at_ < kResolveHours && table_->covers(time, spare) &&
      table_->covers(time - now.tick, spare) && !drifted(climate.theta_up, solved_for_.theta_up) &&
      !drifted(climate.theta_down, solved_for_.theta_down))
    return;
  table_.emplace(ValueQuestion{.changeover = terms_.changeover,
                               .on_demand_price = terms_.on_demand_price,
                               .spot_price = terms_.spot_price,
                               .climate = climate},
                 time, spare, kResolveHours + 2 * now.tick);
  solved_for_ = climate;
  solved_at_ = now.elapsed;
  ++solves_;
}

Mode LindyPolicy::decide(const Situation& now) {
  zone_.observe(now.spot_up, last_tick_);
  last_tick_ = now.tick;
  const Allowed may = allowed(terms_, now);
  refresh(now);
  const ActionValues values = action_values(terms_, now, zone_, *table_, beyond_);
  const auto value = [&](Mode mode) {
    switch (mode) {
      case Mode::Idle:
        return values.idle;
      case Mode::Spot:
        return values.spot;
      case Mode::OnDemand:
        return values.on_demand;
    }
    return values.on_demand;
  };
  Mode best = now.mode;  // ties: stay
  double least = may(best) ? value(best) : std::numeric_limits<double>::infinity();
  const double saved_per_tick = (terms_.on_demand_price - terms_.spot_price) * now.tick;
  if (best == Mode::OnDemand) least -= kReturnGain * std::max(0.0, saved_per_tick);
  for (const Mode mode : {Mode::Idle, Mode::Spot, Mode::OnDemand}) {
    if (!may(mode) || value(mode) >= least) continue;
    best = mode;
    least = value(mode);
  }
  return keep_safe(best, may, now);
}

}  // namespace reprise::controllers::placement
