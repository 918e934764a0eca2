// Tells whose NodeClaim it is. Only one of the job's own pool may be deleted for the job's sake: a person who may make
// a job can have its pods run beside anybody's, and leave them there without proof of their end.
// (docs/decisions/attempts/0024-own-machines.md)
#pragma once

#include "controllers/common/node_claim_of_pool.h"
#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

// Goes by the caches; whoever deletes asks the API server once more.
[[nodiscard]] bool is_own_node_claim(const Observation& seen, const api::NodeClaim& claim);

}  // namespace reprise::controllers::resumablejob
