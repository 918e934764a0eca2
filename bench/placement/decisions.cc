// Prints, for the picture in docs/placement.md, from which age of an outage on-demand is bought, by slack.
#include <cstdio>

#include "bench/placement/report.h"
#include "controllers/placement/policy/lindy_policy.h"

namespace reprise::bench {

namespace placement = controllers::placement;

void print_decisions() {
  constexpr double kLongest = 12;
  std::printf("slack,outage\n");
  placement::Terms terms{.work = 24, .deadline = 24, .changeover = 0.2, .on_demand_price = 3.06, .spot_price = 0.9731};
  for (double slack = 0.4; slack <= kLongest; slack += 0.2) {
    terms.deadline = terms.work + slack;
    const placement::ValueTable table(
        {.changeover = terms.changeover, .on_demand_price = terms.on_demand_price, .spot_price = terms.spot_price},
        terms.deadline, slack, 2);
    const placement::Situation now{.work_left = terms.work, .tick = 0.05};
    double age = 0;
    for (; age <= kLongest; age += 0.05) {
      const auto zone = placement::ZoneMemory::restored({}, {}, false, age);
      const auto values = placement::action_values(terms, now, zone, table);
      if (values.on_demand < values.idle) break;
    }
    std::printf("%.1f,%.2f\n", slack, age);
  }
}

}  // namespace reprise::bench
