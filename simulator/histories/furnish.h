// What an admin has put into the cluster before any job: namespaces, classes, the project's CRDs.
#pragma once

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

// GpuPools and ResumableJobs. Ends the process when the project's own CRDs cannot be read: a defect.
void serve_own_kinds(ApiServer& api);
// Storage classes "zonal" (one zone, from the first consumer) and "shared"; namespaces "team" and "reprise-system".
[[nodiscard]] runtime::Result<void> furnish(ApiServer& api);

}  // namespace reprise::simulator
