// Others' objects in the jobs' namespace: a quota that leaves no more than the jobs need, defaults and limits for
// containers, a second job on the claim of another one. Each from a stream of chance of its own.
#pragma once

#include <cstdint>

#include "runtime/base/error.h"
#include "simulator/api_server/api_server.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

void draw_namespace(Workload& workload, std::uint64_t seed);
// Creates the claims, quotas and ranges that exist before the first job.
[[nodiscard]] runtime::Result<void> create_namespace_objects(ApiServer& api, const Workload& workload);
// Tightens the quota to the needs of the jobs that have not ended.
void tighten_quota(ApiServer& api, const Workload& workload);

}  // namespace reprise::simulator
