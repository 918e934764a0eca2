#include "simulator/scenarios/habits/hang_habits.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

constexpr double share_hanging = 0.75, share_telling = 0.6;
constexpr int shortest_timeout = 60, longest_timeout = 300;  // seconds
constexpr int most_attempts = 4;                             // one more than it takes to be called stalled
constexpr std::array<const char*, 3> when_hung{"Deaf", "Ends", "Saves"};

// Keeps the timeout longer than a save, and than the time until the last rank has ended: neither is a hang.
int long_enough(const JobPlan& job, int seconds) {
  const auto save = job.save * 3 / 2;
  const auto end = Duration{std::abs(job.end_spread.count())} * job.parallelism;
  const auto least = std::chrono::ceil<std::chrono::seconds>(std::max(save, end)).count() + 60;
  return std::max(seconds, static_cast<int>(least));
}

}  // namespace

void draw_hangs(std::uint64_t seed, Workload& workload) {
  if (!has_hangs(seed)) return;
  runtime::SeededRandom random = own_stream(seed, "workload/hangs");
  for (JobPlan& job : workload.jobs) {
    const bool hangs = random.uniform() < share_hanging;
    job.tells_steps = random.uniform() < share_telling;
    const int timeout =
        shortest_timeout + static_cast<int>(random.uniform() * (longest_timeout - shortest_timeout + 1));
    const int attempts = 1 + static_cast<int>(random.uniform() * most_attempts);
    const double where = random.uniform();
    const auto how = static_cast<std::size_t>(random.uniform() * static_cast<double>(when_hung.size()));
    job.progress_timeout_seconds = long_enough(job, timeout);
    if (!hangs) continue;
    job.hang_attempts = attempts;
    job.hangs_at_step = static_cast<std::int64_t>(where * static_cast<double>(job.steps));
    job.when_hung = when_hung.at(how);
    // Leaves out other ends: seconds would decide which of the two comes first.
    job.unhealthy_after = Duration{0};
    job.fails_in_attempt = 0;
  }
}

}  // namespace reprise::simulator
