// Carries out the actions of a plan. One that fails does not hold up the others; the first error is returned, and the
// next pass derives from the status what is still to be done.
#pragma once

#include "controllers/resumablejob/plan.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// `refusal` takes the API server's words when it refused to create something (Invalid, Forbidden), else it is emptied.
[[nodiscard]] runtime::Result<void> apply(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                          const std::vector<Action>& actions, std::string& refusal);

}  // namespace reprise::controllers::resumablejob
