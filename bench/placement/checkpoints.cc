// Useful share of paid spot time when checkpoints follow the advice, against the best fixed interval known afterwards.
#include <algorithm>

#include "bench/placement/report.h"
#include "controllers/placement/policy/checkpoint_advice.h"

namespace reprise::bench {
namespace {

namespace placement = controllers::placement;

constexpr double kRestart = 0.15;  // hours of each spell before work begins

class Spell {
 public:
  Spell(placement::ZoneMemory& zone, double tick, std::size_t ticks) : zone_(zone), tick_(tick), ticks_(ticks) {}

  // Hours of work that outlive the spell. `fixed`: hours between checkpoints; 0: as advised.
  double useful(double write, double fixed) {
    const double length = static_cast<double>(ticks_) * tick_;
    double done = 0;
    for (double at = kRestart;;) {
      watch_until(at);
      const double interval = fixed > 0 ? fixed : placement::checkpoint_interval(write, zone_.age(), zone_.theta_up());
      at += interval + write;
      if (at > length) break;
      done += interval;
    }
    watch_until(length);
    return done;
  }

 private:
  void watch_until(double hours) {
    for (; seen_ + 1 < ticks_ && static_cast<double>(seen_ + 1) * tick_ <= hours; ++seen_) zone_.observe(true, tick_);
  }

  placement::ZoneMemory& zone_;
  double tick_;
  std::size_t ticks_;
  std::size_t seen_ = 0;
};

double useful_percent(const placement::Market& market, double write, double fixed) {
  placement::ZoneMemory zone;
  double useful = 0;
  double paid = 0;
  for (std::size_t t = 0; t < market.up.size();) {
    zone.observe(market.up[t] != 0, t == 0 ? 0 : market.tick);
    if (market.up[t] == 0) {
      ++t;
      continue;
    }
    std::size_t end = t;
    while (end < market.up.size() && market.up[end] != 0) ++end;
    useful += Spell(zone, market.tick, end - t).useful(write, fixed);
    paid += static_cast<double>(end - t) * market.tick;
    t = end;
  }
  return paid > 0 ? 100 * useful / paid : 0;
}

}  // namespace

void checkpoints(const Traces& traces, Report& report) {
  report.section("Checkpoint advice, V100 9 zones");
  const std::string file = "v100x1-9zones.csv";
  if (!traces.has(file)) return report.skipped(file);
  const placement::Trace trace = traces.read(file);
  for (const double seconds : {30.0, 120.0, 300.0}) {
    const double write = seconds / 3600;
    double worst = 0;
    for (const auto& zone : trace.zones) {
      const placement::Market market = placement::market_of(trace, zone, 1);
      double best = 0;
      for (double fixed = 2 * write; fixed < 4; fixed *= 1.1)
        best = std::max(best, useful_percent(market, write, fixed));
      worst = std::max(worst, best - useful_percent(market, write, 0));
    }
    report.at_most("  points below the best fixed, write " + std::to_string(static_cast<int>(seconds)) + " s", worst,
                   1.5);
  }
}

}  // namespace reprise::bench
