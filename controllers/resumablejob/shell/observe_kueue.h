// Reads Kueue's word on a job, for the Observation.
#pragma once

#include "controllers/resumablejob/decide/observation.h"
#include "controllers/resumablejob/shell/caches.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// Reads from the caches; from the API server itself where an old view would begin an attempt without quota, or end one
// that has it.
[[nodiscard]] runtime::Result<void> read_kueue(const Caches& caches, runtime::ReconcileContext& context,
                                               Observation& seen);

}  // namespace reprise::controllers::resumablejob
