#include "simulator/scenarios/workload/lone_ranks.h"

namespace reprise::simulator {
namespace {

constexpr double holds_an_hour = 10;

}  // namespace

void draw_lone_ranks(std::uint64_t seed, Workload& workload, FaultMix& mix) {
  if (seed < kFirstSeedWithLoneRanks || seed > kLastSeedWithLoneRanks) return;
  for (JobPlan& job : workload.jobs) {
    job.parallelism = 1;
    job.volume_each = false;
    job.on_share = true;
    job.other_machines = true;
    job.pooled = false;
  }
  mix.rates[FaultKind::MachineFrozen] = mix.rates[FaultKind::ShareHangs] = holds_an_hour;
}

}  // namespace reprise::simulator
