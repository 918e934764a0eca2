#include "simulator/scenarios/habits/limit_habits.h"

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

constexpr double share_with_cost = 0.5, share_with_time = 0.7, share_without_estimate = 0.2;
constexpr int most_cents = 30;  // less than most jobs cost
constexpr int most_kept = 2;

}  // namespace

void draw_job_limits(std::uint64_t seed, Workload& workload) {
  if (!has_limits(seed)) return;
  runtime::SeededRandom random = own_stream(seed, "workload/job-limits");
  // Spot alone leaves no choice.
  if (workload.max_on_demand_gpus == 0) workload.max_on_demand_gpus = 4;
  for (JobPlan& job : workload.jobs) {
    const bool cost = random.uniform() < share_with_cost, time = random.uniform() < share_with_time;
    const int cents = 2 + static_cast<int>(random.uniform() * most_cents);
    const double tight = random.uniform();
    const bool estimate = random.uniform() >= share_without_estimate;
    const int kept = static_cast<int>(random.uniform() * (most_kept + 1));
    job.keep_failed_pods = kept;
    if (!job.pooled) continue;
    if (cost) job.max_cost_cents = cents;
    if (!time) continue;
    const auto work = std::chrono::duration_cast<std::chrono::seconds>(job.step * job.steps).count();
    if (estimate) job.estimated_seconds = static_cast<int>(work);
    // The deadline lies between a time that on-demand capacity alone just reaches and hours of waiting for spot.
    job.complete_by_seconds = static_cast<int>(work + 10 * 60 + static_cast<std::int64_t>(tight * 3 * 3600));
  }
}

}  // namespace reprise::simulator
