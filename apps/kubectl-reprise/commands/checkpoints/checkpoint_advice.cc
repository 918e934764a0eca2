#include "apps/kubectl-reprise/commands/checkpoints/checkpoint_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kubectl-reprise/terminal/time_text.h"
#include "controllers/placement/policy/checkpoint_advice.h"

namespace reprise::plugin {
namespace {

using std::chrono::seconds;

// Smaller differences are within the effect of one interruption more or less.
constexpr double kAboutTheSame = 1.5;
constexpr int kFewestInterruptions = 2;  // one alone shows no frequency

std::string rounded(double time) {
  const double unit = time < 600 ? 10 : 60;
  return length_text(
      seconds(static_cast<std::int64_t>(std::max(time / unit, 1.0) + 0.5) * static_cast<std::int64_t>(unit)));
}

}  // namespace

std::string checkpoint_advice(const api::ResumableJob& job, kube::Time now) {
  const api::ResumableJobStatus& status = job.status;
  const auto& live = status.progress ? status.progress->checkpoint : std::nullopt;
  if (!live || !live->save_seconds || !status.start_time || status.interruption_count < kFewestInterruptions) return {};
  const kube::Time until = status.completion_time.value_or(now);
  const auto been = std::chrono::duration_cast<seconds>(until - *status.start_time);
  const auto write = static_cast<double>(std::max<std::int64_t>(*live->save_seconds, 1));
  const double between = static_cast<double>(been.count()) / status.interruption_count;
  if (between <= write) return {};
  const double best = std::max(controllers::placement::daly_interval(write, between), 2 * write);
  const auto period = static_cast<double>(job.spec.checkpoint.period_seconds);
  if (best < period * kAboutTheSame && period < best * kAboutTheSame) return {};
  return fmt::format(
      "Saving every {} instead of every {} would lose less: a save takes {}, and the job was interrupted {} "
      "times in {}.\n",
      rounded(best), length_text(seconds(job.spec.checkpoint.period_seconds)),
      length_text(seconds(*live->save_seconds)), status.interruption_count, length_text(been));
}

}  // namespace reprise::plugin
