// Finds mistakes in a manifest that an API server would drop in silence.
#pragma once

#include "runtime/base/error.h"
#include "simulator/base/json.h"

namespace reprise::rehearsal {

// Checks a GpuPool or ResumableJob. Invalid: each field that is wrong, what was found and what is allowed. A job may
// leave out poolName, which read_job() fills in.
[[nodiscard]] runtime::Result<void> check_manifest(const simulator::Value& object);

}  // namespace reprise::rehearsal
