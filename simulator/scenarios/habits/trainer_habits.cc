#include "simulator/scenarios/habits/trainer_habits.h"

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

constexpr double share_with_hooks = 0.3, share_with_dates = 0.15, share_with_data = 0.2, share_slow = 0.15,
                 share_with_helpers = 0.5, share_with_readiness = 0.25, share_unhealthy = 0.15;
constexpr double most_until_ready = 120;  // seconds
constexpr double shortest_slow_save = 90'000, longest_slow_save = 240'000;

void draw_pre_stop(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/pre-stop");
  for (JobPlan& job : workload.jobs) job.pre_stop = random.uniform() < share_with_hooks;
}

void draw_names(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/dated-names");
  for (JobPlan& job : workload.jobs) job.dated_names = random.uniform() < share_with_dates;
}

void draw_data(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/data");
  for (JobPlan& job : workload.jobs) job.data = random.uniform() < share_with_data;
}

// Longer than the grace of any job: an interruption in mid-save leaves a torn checkpoint, and so does most of the
// others.
void draw_slow_saves(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/slow-saves");
  for (JobPlan& job : workload.jobs) {
    const bool slow = random.uniform() < share_slow;
    const double milliseconds = shortest_slow_save + (longest_slow_save - shortest_slow_save) * random.uniform();
    if (slow) job.save = Duration{static_cast<Duration::rep>(milliseconds)};
  }
}

void draw_helpers(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/helpers");
  for (JobPlan& job : workload.jobs) {
    const bool has = random.uniform() < share_with_helpers;
    const int count = 1 + static_cast<int>(random.uniform() * 8);
    if (has) job.helpers = count;
  }
}

// Draws a probe that fails: not for a trainer whose preStop hook makes it end well, which nobody can tell from its end
// (docs/decisions/attempts/0014-seen-ends.md).
void draw_probes(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/probes");
  for (JobPlan& job : workload.jobs) {
    const bool waits = random.uniform() < share_with_readiness, fails = random.uniform() < share_unhealthy;
    const int ready_after = 2 + static_cast<int>(random.uniform() * most_until_ready);
    const double minutes = 1 + random.uniform() * 15;
    if (waits) job.ready_after_seconds = ready_after;
    if (fails && !job.pre_stop) job.unhealthy_after = Duration{static_cast<Duration::rep>(minutes * 60'000)};
  }
}

}  // namespace

void draw_trainer_habits(std::uint64_t seed, Workload& workload) {
  draw_names(seed, workload);
  draw_data(seed, workload);
  draw_slow_saves(seed, workload);
  draw_pre_stop(seed, workload);
  draw_helpers(seed, workload);
  draw_probes(seed, workload);
}

}  // namespace reprise::simulator
