#include "simulator/scenarios/workload/small_volumes.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

constexpr double share_of_reports = 0.5, share_with_keep = 0.2;
constexpr std::int64_t most_saves = 12;
// Checkpoints that have come together before somebody set how many stay take many more calls than the usual deletions
// of a look.
constexpr Duration slowest_call{1'000};

}  // namespace

void draw_small_volumes(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithSmallVolumes || seed > kLastSeedWithSmallVolumes) return;
  runtime::SeededRandom random = own_stream(seed, "workload/small-volumes");
  workload.reports = random.uniform() < share_of_reports;
  for (JobPlan& job : workload.jobs) {
    const auto capacity = 3 + static_cast<std::int64_t>(4 * random.uniform());
    const bool says_keep = random.uniform() < share_with_keep;
    if (!job.claim.empty()) continue;
    job.library = {};
    job.dated_names = false;
    job.data = false;
    job.save_every_steps = std::max<std::int64_t>(job.steps / most_saves, 1);
    job.volume.call = std::min(job.volume.call, slowest_call);
    job.volume.capacity = capacity;
    job.volume.says_keep = says_keep;
  }
}

}  // namespace reprise::simulator
