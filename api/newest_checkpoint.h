// A job's newest complete checkpoint is told twice: by records when an attempt ends, by reports while it runs.
#pragma once

#include "api/job_status.h"

namespace reprise::api {

// The checkpoint that is reported live, where it is newer than the recorded one; else nullptr, and status.checkpoint is
// the newest.
[[nodiscard]] const LiveCheckpointStatus* newer_live_checkpoint(const ResumableJobStatus& status);

}  // namespace reprise::api
