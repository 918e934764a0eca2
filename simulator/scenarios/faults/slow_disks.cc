#include "simulator/scenarios/faults/slow_disks.h"

#include <algorithm>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

constexpr double shortest_flush = 8'000, longest_flush = 60'000;  // milliseconds
constexpr double share_of_failing = 0.3;
constexpr std::int64_t most_failing = 2, saves_of_a_job = 15;

}  // namespace

void draw_slow_disks(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithSlowDisks || seed > kLastSeedWithSlowDisks) return;
  runtime::SeededRandom random = own_stream(seed, "workload/slow-disks");
  workload.accepts_older = true;
  for (JobPlan& job : workload.jobs) {
    const double flush = shortest_flush + random.uniform() * (longest_flush - shortest_flush);
    const bool fails = random.uniform() < share_of_failing;
    const auto failing = 1 + static_cast<std::int64_t>(random.uniform() * most_failing);
    job.library = {};  // files of libraries show by themselves what they lack
    // A share is no disk: most of these jobs have one rank.
    job.parallelism = job.volume_each ? job.parallelism : 1;
    job.volume.moves = true;
    job.volume.flush = Duration{static_cast<Duration::rep>(flush)};
    job.volume.failing_syncs = fails ? failing : 0;
    job.save_every_steps = std::max<std::int64_t>(job.steps / saves_of_a_job, 1);
  }
}

}  // namespace reprise::simulator
