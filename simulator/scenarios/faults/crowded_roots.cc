#include "simulator/scenarios/faults/crowded_roots.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

// Numbers of directories: each run has one, and one within it.
constexpr int bound_of_a_look = 256, beyond = 20;
// A look takes a call for each directory.
constexpr Duration slowest_crowded_call{20};

}  // namespace

void draw_crowded_roots(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithCrowdedRoots || seed > kLastSeedWithCrowdedRoots) return;
  runtime::SeededRandom random = own_stream(seed, "workload/crowded-roots");
  for (JobPlan& job : workload.jobs) {
    const int bound = random.uniform() < 0.5 ? bound_of_a_look : bound_of_a_look / 2;
    const int runs = bound - 4 + static_cast<int>(beyond * random.uniform());
    if (!job.claim.empty()) continue;
    job.library = {};
    job.dated_names = false;
    job.data = false;
    job.volume.call = std::min(job.volume.call, slowest_crowded_call);
    job.volume.former_runs = runs;
  }
}

}  // namespace reprise::simulator
