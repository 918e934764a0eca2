// Pods of members that no cache shows: asked for at the API server itself before anything is made of their absence.
#pragma once

#include "controllers/resumablejob/observation.h"
#include "runtime/client/client.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// A member whose pod is in no cache: calling a living one vanished would end its machine, and one that is not known to
// have a pod may have got it from a process that died, or by a request whose answer was lost. Of those without a pod
// `seen.scheduled` gets what the scheduler's Events still tell. A few requests however large the gang is.
// `created_here`: see observe(). Conflict when the API server shows a pod that the cache does not show yet.
[[nodiscard]] runtime::Result<void> look_for_missing(runtime::Client& client, runtime::ReconcileContext& context,
                                                     bool created_here, Observation& seen);

}  // namespace reprise::controllers::resumablejob
