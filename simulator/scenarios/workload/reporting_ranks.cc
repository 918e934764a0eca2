#include "simulator/scenarios/workload/reporting_ranks.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/workload/template_changes.h"

namespace reprise::simulator {

void draw_reporting_ranks(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithReports || seed > kLastSeedWithReports) return;
  runtime::SeededRandom random = own_stream(seed, "workload/reporting-ranks");
  workload.reports = true;
  workload.returns_to_spot = random.uniform() < 0.7;
  if (!workload.returns_to_spot || random.uniform() < 0.6) add_template_changes(random, workload);
  for (JobPlan& job : workload.jobs) {
    job.steps *= 2 + static_cast<std::int64_t>(4 * random.uniform());
    const auto seldom = static_cast<std::int64_t>(600 + 1'200 * random.uniform());
    if (random.uniform() < 0.85) job.save_every_steps = std::max(job.save_every_steps, std::min(seldom, job.steps / 2));
  }
}

}  // namespace reprise::simulator
