// Finds which machine a rank runs on, past a cache that may show an earlier machine of the same name: names of nodes
// are used again (they are made of addresses), and caches of different kinds are of different ages.
#pragma once

#include "controllers/resumablejob/decide/observation.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// Reads from the API server itself the Node of each rank whose identity is about to be taken (at its binding, and
// when its containers are first seen started), or whose cached Node is not the one that was recorded. At most one
// request for each node; none while all is as it was.
[[nodiscard]] runtime::Result<void> confirm_machines(runtime::ReconcileContext& context, Observation& seen);

// The NodeClaim behind the rank's machine: by its provider's id too, since a NodeClaim of an earlier machine may still
// carry the node's name.
[[nodiscard]] std::shared_ptr<const api::NodeClaim> node_claim_behind(const Observation& seen,
                                                                      const api::RankStatus& rank);

}  // namespace reprise::controllers::resumablejob
