#include "simulator/scenarios/workload/rank_directories.h"

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr int fewest_ranks = 2;

}  // namespace

void draw_rank_directories(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithRankDirectories || seed > kLastSeedWithRankDirectories) return;
  runtime::SeededRandom random = own_stream(seed, "workload/rank-directories");
  for (JobPlan& job : workload.jobs) {
    LibraryPlan plan{.library = pick(random, std::vector<Library>{Library::RankFolders, Library::RankNames})};
    plan.folder = pick(random, std::vector<std::string>{"", "out"});
    plan.keep = pick(random, std::vector<int>{0, 1, 2});
    plan.files_beside = random.uniform() < 0.3;
    if (!job.claim.empty() || job.volume_each) continue;
    job.parallelism = std::max(job.parallelism, fewest_ranks);
    job.library = plan;
    job.dated_names = false;
    job.ranks_apart = false;
    job.volume.moves = true;
    job.volume.capacity = 0;
  }
}

}  // namespace reprise::simulator
