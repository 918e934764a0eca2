// The pauses between attempts, beside backoff() of phases.h. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/resumable_job.h"

namespace reprise::controllers::resumablejob {

// The longest pause after an attempt of which a pod was rejected; `status`: of before its end. Rejections in a row wait
// up to twice as long as the time between the last two attempts. Other ends, of which there may have been many, count
// for no more than their own longest pause.
[[nodiscard]] std::chrono::seconds longest_pause_after_rejection(const api::ResumableJobStatus& status);

// Between two attempts.
[[nodiscard]] bool pauses(const api::ResumableJobStatus& status, kube::Time now);
// For longer than any pause but that after rejections in a row: nothing is kept for the next attempt until so much is
// left, neither nodes nor quota.
[[nodiscard]] bool pauses_for_long(const api::ResumableJobStatus& status, kube::Time now);

// For people, who need not wait out a long pause. `next`: before then no attempt begins.
[[nodiscard]] std::string said_between_attempts(const api::AttemptEnd& end, const std::optional<kube::Time>& next);

}  // namespace reprise::controllers::resumablejob
