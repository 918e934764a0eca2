// Makes spans of the job's trace out of what a status of a ResumableJob that has just been written ends: a pure
// function of the status before and after. Only times that stand in the status become a span's: another process, which
// knows nothing but the status, makes the same ids. One trace per job, its root from the creation to the end, below it
// one span per attempt, below that one per phase of it:
//
//   pending    begun, no rank has a node      starting   a rank has a node, not all are ready
//   running    all ranks are ready            ending     the end is decided, not every rank is proven to have ended
//   resuming   after an interruption: all ranks are ready, no step is passed yet; only where the trainer reports
#pragma once

#include <vector>

#include "api/resumable_job.h"
#include "runtime/traces/span.h"

namespace reprise::controllers::traces {

// `before`: what was decided on, with what had been held back. `now`: when that was.
[[nodiscard]] std::vector<runtime::Span> spans_of(const api::ResumableJob& job, const api::ResumableJobStatus& before,
                                                  const api::ResumableJobStatus& after, kube::Time now);

}  // namespace reprise::controllers::traces
