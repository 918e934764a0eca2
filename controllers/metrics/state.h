// Gauges of what the caches show: a pure function, run each time that metrics are read.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "runtime/metrics/metrics.h"

namespace reprise::controllers::metrics {

// True when ranks of a job still report, so that the status is not old in what it says of checkpoints; asked of the few
// jobs that seem not to save.
using StillReports = std::function<bool(const api::ResumableJob&)>;

// Time grows with jobs plus pools: 1.5 us for a job.
[[nodiscard]] std::vector<runtime::Reading> readings(const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs,
                                                     const std::vector<std::shared_ptr<const api::GpuPool>>& pools,
                                                     kube::Time now, const StillReports& still_reports);

// The column STATE in fewer words, by which people count jobs.
enum class JobState { Waiting, Starting, Running, Recovering, Suspended, Stalled, Complete, Failed };
[[nodiscard]] JobState state_of(const api::ResumableJobStatus& status);
[[nodiscard]] std::string_view name_of(JobState state);

}  // namespace reprise::controllers::metrics
