#include "simulator/scenarios/workload/volumes_each.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {

void draw_volumes_each(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithVolumesEach || seed > kLastSeedWithVolumesEach) return;
  runtime::SeededRandom random = own_stream(seed, "workload/volumes-each");
  for (JobPlan& job : workload.jobs) {
    const bool spread = random.uniform() < 0.7;
    const Duration apart{static_cast<Duration::rep>(30'000 * random.uniform())};
    if (!job.claim.empty() || job.other_machines) continue;
    job.volume_each = true;
    job.parallelism = std::max(job.parallelism, 2);
    job.ranks_apart = false;
    if (spread) job.save_spread = apart;
  }
}

}  // namespace reprise::simulator
