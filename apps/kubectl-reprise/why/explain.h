// Explains why a job or a pool does not go on: follows its conditions along pods, scheduler, NodeClaims, NodePools,
// pool and quota to the first object that blocks. Pure: it reads `objects` and is given the time.
#pragma once

#include "apps/kubectl-reprise/why/explanation.h"
#include "apps/kubectl-reprise/why/reading/objects.h"

namespace reprise::plugin::why {

// `objects.subject` must be there: objects.job for a ResumableJob, objects.pool for a GpuPool.
[[nodiscard]] Explanation explain(const Objects& objects, kube::Time now);

}  // namespace reprise::plugin::why
