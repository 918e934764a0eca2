// Fills an Observation: from the caches, and from the API server itself where a wrong cache would cost a checkpoint.
#pragma once

#include <memory>

#include "controllers/resumablejob/decide/observation.h"
#include "controllers/resumablejob/shell/caches.h"
#include "controllers/resumablejob/shell/deleted_pod_cache.h"
#include "controllers/resumablejob/shell/missing_pods.h"
#include "runtime/client/client.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// Errors of live reads are passed on: without them nothing may be decided.
[[nodiscard]] runtime::Result<Observation> observe(const Caches& caches, const DeletedPodCache& deleted_pods,
                                                   runtime::Client& client, runtime::ReconcileContext& context,
                                                   std::shared_ptr<const api::ResumableJob> job, const OwnAttempt& own);

}  // namespace reprise::controllers::resumablejob
