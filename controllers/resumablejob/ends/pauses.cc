#include "controllers/resumablejob/ends/pauses.h"

#include <algorithm>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

std::chrono::seconds longest_pause_after_rejection(const api::ResumableJobStatus& status) {
  const bool in_a_row = status.last_end && status.last_end->cause == api::AttemptEndCause::Rejected;
  if (!in_a_row || !status.attempt_start_time) return kLongestPause;
  const auto paused =
      std::chrono::duration_cast<std::chrono::seconds>(*status.attempt_start_time - status.last_end->time);
  return std::clamp(2 * std::min(paused, kLongestPauseAfterRejections), kLongestPause, kLongestPauseAfterRejections);
}

// A time that no pause of ours reaches was set by another clock, of the replica that led before.
bool pauses(const api::ResumableJobStatus& status, kube::Time now) {
  const auto& until = status.retry_after;
  const bool rejected = status.last_end && status.last_end->cause == api::AttemptEndCause::Rejected;
  return until && now < *until && *until - now <= (rejected ? kLongestPauseAfterRejections : kLongestPause);
}

bool pauses_for_long(const api::ResumableJobStatus& status, kube::Time now) {
  return pauses(status, now) && *status.retry_after - now > kLongestPause;
}

std::string said_between_attempts(const api::AttemptEnd& end, const std::optional<kube::Time>& next) {
  std::string said = "attempt " + std::to_string(end.attempt) + " has ended: " + end.message;
  if (next && *next - end.time > kLongestPause)
    said += "; the next one begins at " + kube::format_time(*next) +
            ", or at once when the job is suspended and resumed, or edited";
  return said;
}

}  // namespace reprise::controllers::resumablejob
