// Carries out the actions of a plan. One that fails does not hold up the others; the first error is returned, and the
// next pass derives from the status what is still to be done.
#pragma once

#include "controllers/resumablejob/decide/plan.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// `rejection` takes why something cannot be created until a person acts: the API server's message (Invalid, Forbidden),
// or who holds the name. It is emptied when nothing failed.
[[nodiscard]] runtime::Result<void> apply(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                          const std::vector<Action>& actions, std::string& rejection);

}  // namespace reprise::controllers::resumablejob
