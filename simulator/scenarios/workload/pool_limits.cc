#include "simulator/scenarios/workload/pool_limits.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {

void draw_pool_limit(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithPoolLimit || seed > kLastSeedWithPoolLimit) return;
  runtime::SeededRandom random = own_stream(seed, "workload/pool-limit");
  constexpr int cents_of_a_gpu = 53;  // on demand; spot is counted at two fifths
  int gpus = 1;
  for (const JobPlan& job : workload.jobs) gpus = std::max(gpus, job.parallelism);
  workload.max_cost_cents = static_cast<int>(gpus * cents_of_a_gpu * (1 + 0.3 * random.uniform()));
  workload.max_on_demand_gpus = random.uniform() < 0.8 ? std::max(gpus, 4) : 0;
}

}  // namespace reprise::simulator
