#include "controllers/placement/evaluation/replay.h"

#include <algorithm>
#include <cmath>

namespace reprise::controllers::placement {
namespace {

constexpr double kRounding = 1e-9;

}  // namespace

void Outcome::count(Mode mode, double hours) {
  switch (mode) {
    case Mode::Idle:
      idle_hours += hours;
      break;
    case Mode::Spot:
      spot_hours += hours;
      break;
    case Mode::OnDemand:
      on_demand_hours += hours;
      break;
  }
}

Outcome replay(const Terms& terms, const Market& market, std::size_t first, Policy& policy, const TickSink& sink,
               const ChangeoverSource& changeover) {
  Outcome run;
  Situation now{.work_left = terms.work, .tick = market.tick};
  double really_left = 0;  // left of the changeover; the policy sees what is left of the longest
  for (std::size_t t = first; now.work_left > kRounding; ++t) {
    const bool recorded = t < market.up.size();
    now.spot_up = recorded && market.up[t] != 0;
    if (now.mode == Mode::Spot && !now.spot_up) {
      now.mode = Mode::Idle;
      now.changeover_left = 0;
    }
    const Mode chosen = recorded || terms.deadline != kNoDeadline ? policy.decide(now) : Mode::OnDemand;
    if (chosen != now.mode) {
      now.changeover_left = chosen == Mode::Idle ? 0 : terms.changeover;
      really_left = changeover && chosen != Mode::Idle ? changeover() : now.changeover_left;
      run.starts += chosen == Mode::Idle ? 0 : 1;
      now.mode = chosen;
    }
    double hours = now.tick;
    if (now.mode != Mode::Idle) {
      hours = std::min(now.tick, really_left + now.work_left);
      const double overhead = std::min(hours, really_left);
      really_left -= overhead;
      now.changeover_left = really_left > 0 ? now.changeover_left - overhead : 0;
      now.work_left -= hours - overhead;
      now.spent += hours * (now.mode == Mode::Spot ? price_at(market, t, terms.spot_price) : terms.on_demand_price);
    }
    run.count(now.mode, hours);
    if (sink) sink(now.elapsed, hours, now.mode);
    now.elapsed += hours;
  }
  run.cost = now.spent;
  run.finish = now.elapsed;
  run.missed = now.elapsed > terms.deadline + 1e-6;
  return run;
}

std::vector<std::size_t> starts_that_fit(const Market& market, double every, double hours) {
  std::vector<std::size_t> starts;
  const auto stride = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(every / market.tick)));
  const auto needed = static_cast<std::size_t>(std::ceil(hours / market.tick - kRounding)) + 2;
  for (std::size_t start = 0; start + needed <= market.up.size(); start += stride) starts.push_back(start);
  return starts;
}

}  // namespace reprise::controllers::placement
