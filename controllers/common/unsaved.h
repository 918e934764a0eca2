// How much training of a running job is in no checkpoint yet, as its ranks report.
#pragma once

#include <optional>

#include "api/resumable_job.h"

namespace reprise::controllers {

// Since when an attempt has trained what is in no checkpoint: since its newest one, or since its ranks were ready if
// that was later. Nothing: it does not train, or no rank has told what it saves.
[[nodiscard]] std::optional<kube::Time> unsaved_since(const api::ResumableJobStatus& status);

// So many of spec.checkpoint.periodSeconds without a newer checkpoint are too many.
inline constexpr int kPeriodsUntilOverdue = 3;

// From when on an attempt that saves nothing by then is late; nothing: as for unsaved_since().
[[nodiscard]] std::optional<kube::Time> checkpoint_due(const api::ResumableJobStatus& status,
                                                       std::int64_t period_seconds);
// It has trained for longer than that without a newer checkpoint.
[[nodiscard]] bool checkpoint_overdue(const api::ResumableJob& job, kube::Time now);

}  // namespace reprise::controllers
