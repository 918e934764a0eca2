// Closes an attempt whose members are all proven to have ended: what follows, and what was lost.
#pragma once

#include "controllers/resumablejob/phases.h"

namespace reprise::controllers::resumablejob {

void close_attempt(Draft& draft, api::AttemptEnd end, const std::vector<Member>& members);

}  // namespace reprise::controllers::resumablejob
