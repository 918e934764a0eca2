// The changes that a status of a ResumableJob which has just been written makes to the metrics: a pure function of the
// status before and after. Only the process that wrote it counts it, so that nothing is counted twice, whoever leads
// next.
#pragma once

#include <array>
#include <string_view>

#include "api/resumable_job.h"
#include "controllers/metrics/change.h"

namespace reprise::controllers::metrics {

// `before`: the status that was decided on, with what had been held back. `now`: when that was.
[[nodiscard]] Changes changes_of(const api::ResumableJob& job, const api::ResumableJobStatus& before,
                                 const api::ResumableJobStatus& after, kube::Time now);

// A reason that stands in docs/reference/reasons.md, or "Other": writers of Events or of pods' conditions choose their
// words.
[[nodiscard]] std::string_view bounded_reason(std::string_view reason);

// Families of a pool that show 0 from the first: what has not happened yet cannot be told from what is not measured.
[[nodiscard]] Changes zeros_of_pool(std::string_view pool);

}  // namespace reprise::controllers::metrics
