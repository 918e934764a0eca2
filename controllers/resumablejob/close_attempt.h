// Closes an attempt whose ranks are all proven to have ended: what follows, and what was lost.
#pragma once

#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

// A failure that a peer explains which has lost its node becomes an interruption, as soon as that comes to light.
void note_lost_peer(PlanBuilder& builder, const std::vector<Rank>& ranks);
void close_attempt(PlanBuilder& builder, api::AttemptEnd end, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
