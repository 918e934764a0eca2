// The training of a running job that is in no checkpoint yet, as its ranks report.
#pragma once

#include <optional>

#include "api/resumable_job.h"

namespace reprise::controllers {

// The time since when an attempt's training is in no checkpoint: the time of its newest one, or of its ranks being
// ready if that was later. Empty: it does not train, or no rank has told what it saves.
[[nodiscard]] std::optional<kube::Time> unsaved_since(const api::ResumableJobStatus& status);

// A checkpoint is overdue when none newer came for this many times spec.checkpoint.periodSeconds.
inline constexpr int kPeriodsUntilOverdue = 3;

// The time from which an attempt that saves nothing by then is late; empty: as for unsaved_since().
[[nodiscard]] std::optional<kube::Time> checkpoint_due(const api::ResumableJobStatus& status,
                                                       std::int64_t period_seconds);
// True when the attempt has trained for longer than that without a newer checkpoint.
[[nodiscard]] bool checkpoint_overdue(const api::ResumableJob& job, kube::Time now);

}  // namespace reprise::controllers
