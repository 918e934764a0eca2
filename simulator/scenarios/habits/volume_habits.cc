#include "simulator/scenarios/habits/volume_habits.h"

#include <cmath>

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr double share_of_slow = 0.2, share_of_crowded = 0.25, share_of_stores = 0.35;
// Shares of jobs on an object store, and of others.
constexpr double share_renounced_on_stores = 0.6, share_renounced = 0.1, share_by_period = 0.7;
// An NFS server with a full queue, an object store at its limit.
constexpr double fastest_call = 500, slowest_call = 4'000;  // milliseconds
constexpr double fewest_attempts = 500, most_attempts = 3'000;
constexpr int most_ranks = 8;
// The default of ext4 (commit=5).
constexpr Duration commit_of_names{5'000};

double log_uniform(runtime::Random& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

}  // namespace

void draw_volume_habits(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom slow = own_stream(seed, "workload/slow-volume");
  runtime::SeededRandom crowded = own_stream(seed, "workload/crowded-volume");
  runtime::SeededRandom store = own_stream(seed, "workload/object-store");
  runtime::SeededRandom renounced = own_stream(seed, "workload/from-scratch");
  for (JobPlan& job : workload.jobs) {
    job.volume.moves = store.uniform() >= share_of_stores;
    const bool anew = renounced.uniform() < (job.volume.moves ? share_renounced : share_renounced_on_stores);
    const Duration when = between(renounced, 5, 40, Duration{60'000});
    // A trainer that saves by period alone comes to the very steps again that were renounced.
    const bool by_period = renounced.uniform() < share_by_period;
    if (anew) job.from_scratch = when;
    if (anew && by_period) job.saves_on_notice = false;
    const bool is_slow = slow.uniform() < share_of_slow;
    const double call = log_uniform(slow, fastest_call, slowest_call);
    if (is_slow) job.volume.call = Duration{static_cast<Duration::rep>(call)};
    const bool is_crowded = crowded.uniform() < share_of_crowded;
    const double attempts = log_uniform(crowded, fewest_attempts, most_attempts);
    const double ranks = crowded.uniform();
    if (!is_crowded) continue;
    job.volume.former_attempts = static_cast<std::int64_t>(attempts);
    job.volume.former_ranks = 1 + static_cast<int>(ranks * most_ranks);
  }
}

void prepare_volumes(const Workload& workload, Volumes& volumes) {
  for (const JobPlan& job : workload.jobs) {
    const VolumePlan& plan = job.volume;
    DiskFormer former;
    if (plan.former_attempts > 0)
      former = {.job_uid = "former", .attempts = plan.former_attempts, .ranks = plan.former_ranks};
    const auto claims = job.volume_each ? claim_names(job) : std::vector{job.name + "-checkpoints"};
    for (const std::string& claim : claims)
      volumes.prepare(claim,
                      {.call = plan.call,
                       .moves = plan.moves,
                       .tells_kinds = job.library.library != Library::None,
                       .capacity = plan.capacity,
                       .names_stay = plan.flush > Duration{0} ? commit_of_names : Duration{0},
                       .flush = plan.flush,
                       .failing_syncs = plan.failing_syncs},
                      former);
  }
}

}  // namespace reprise::simulator
