#include "simulator/scenarios/habits/job_habits.h"

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr Duration minute{60'000};
constexpr double share_suspended = 0.15, share_with_deadline = 0.5, share_with_limit = 0.15;
constexpr double share_of_acceptance = 0.5;

// If suspended time counted, the job would fail before the suspension is over, or soon after.
void draw_suspensions(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/suspensions");
  for (JobPlan& job : workload.jobs) {
    const bool suspended = random.uniform() < share_suspended, deadline = random.uniform() < share_with_deadline;
    const Duration after = between(random, 5, 30, minute), lasts = between(random, 20, 50, minute);
    const double share = 0.7 + 0.4 * random.uniform();
    if (!suspended) continue;
    job.suspended_after = after;
    job.suspended_for = lasts;
    const double counted = share * static_cast<double>((after + lasts).count());
    if (deadline) job.deadline_seconds = static_cast<int>(counted / 1'000);
  }
}

void draw_limits(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/interruption-limit");
  for (JobPlan& job : workload.jobs) {
    const bool limited = random.uniform() < share_with_limit;
    const int limit = 1 + static_cast<int>(random.uniform() * 2);
    if (limited) job.interruption_limit = limit;
  }
}

}  // namespace

void draw_job_habits(std::uint64_t seed, Workload& workload) {
  draw_suspensions(seed, workload);
  draw_limits(seed, workload);
  workload.accepts_older = own_stream(seed, "workload/accepts-older").uniform() < share_of_acceptance;
}

}  // namespace reprise::simulator
