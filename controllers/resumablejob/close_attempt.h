// Closes an attempt whose ranks are all proven to have ended: what follows, and what was lost.
#pragma once

#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

void close_attempt(PlanBuilder& builder, api::AttemptEnd end, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
