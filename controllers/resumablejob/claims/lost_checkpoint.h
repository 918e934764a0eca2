// An attempt whose agent did not find the checkpoint that the job has: the job stands still until a person says what is
// to be done, and is told what it could go on from.
#pragma once

#include <vector>

#include "controllers/resumablejob/decide/phases.h"

namespace reprise::controllers::resumablejob {

// Does nothing where the attempt ended for another reason.
void stall_on_lost_checkpoint(PlanBuilder& builder, const api::AttemptEnd& end, const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
