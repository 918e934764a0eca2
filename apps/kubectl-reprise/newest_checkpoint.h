// A job's newest complete checkpoint is told twice: by records when an attempt ends, by reports while it runs.
#pragma once

#include "api/job_status.h"

namespace reprise::plugin {

// What is reported live, where that is newer than the recorded one; else nullptr, and status.checkpoint is the newest.
[[nodiscard]] const api::LiveCheckpointStatus* newer_live_checkpoint(const api::ResumableJobStatus& status);

}  // namespace reprise::plugin
