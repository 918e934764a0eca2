// Closes an attempt whose ranks are all proven to have ended: what follows, and what was lost.
#pragma once

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

// Turns a failure into an interruption when a peer that has lost its node explains it, as soon as that comes to light.
void note_lost_peer(PlanBuilder& builder, const std::vector<Rank>& ranks);
void close_attempt(PlanBuilder& builder, api::AttemptEnd end, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
