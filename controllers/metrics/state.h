// What the caches show, as gauges: a pure function, run each time that metrics are read.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "runtime/metrics/metrics.h"

namespace reprise::controllers::metrics {

// Whether ranks of a job still report, so that what the status says of its checkpoints is not old; asked of the few
// that seem not to save.
using StillReports = std::function<bool(const api::ResumableJob&)>;

// Time grows with jobs plus pools: 1.5 us for a job.
[[nodiscard]] std::vector<runtime::Reading> readings(const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs,
                                                     const std::vector<std::shared_ptr<const api::GpuPool>>& pools,
                                                     kube::Time now, const StillReports& still_reports);

// The column STATE in fewer words: how people ask how many there are of what.
enum class JobState { Waiting, Starting, Running, Recovering, Suspended, Stalled, Complete, Failed };
[[nodiscard]] JobState state_of(const api::ResumableJobStatus& status);
[[nodiscard]] std::string_view name_of(JobState state);

}  // namespace reprise::controllers::metrics
