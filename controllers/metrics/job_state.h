// Single jobs as the cache shows them, as gauges: a pure function, run each time that metrics are read.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "api/resumable_job.h"
#include "runtime/metrics/metrics.h"

namespace reprise::controllers::metrics {

// Reads `limit` unfinished jobs at most, so that series stay bounded; 0: none, and nothing is said of those left out.
// Jobs that have begun come before those that are suspended or wait for their first attempt, then the older before the
// newer: a job that is interrupted keeps its place. Time grows with jobs: 0.5 us a job, some more for one that is
// shown.
[[nodiscard]] std::vector<runtime::Reading> job_readings(
    const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs, kube::Time now, std::size_t limit);

}  // namespace reprise::controllers::metrics
