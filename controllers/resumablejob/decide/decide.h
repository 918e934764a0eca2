// The decision about one job: a pure function of what has been seen.
//
// An attempt lives like this, and each arrow is one status write:
//
//   no attempt --begin--> ranks listed --create--> running --verdict--> ending (status.attemptEnd)
//        ^                                                                   |
//        +------------- close (all ranks proven ended) <-------------------+--> Complete | Failed | Suspended
//
// - begin (begin_attempt.cc): status.attempt is raised and the ranks are listed before any pod exists.
// - create (run_attempt.cc): claims, the Service and the pods; bindings are recorded.
// - verdict (verdict.cc): why the attempt ends; counted in the same write, before anything is deleted.
// - ending (end_attempt.cc): pods are deleted gracefully, standby pods hold places, proofs are gathered (proof.cc).
// - close (close_attempt.cc): only when every rank is proven to have ended.
#pragma once

#include "controllers/resumablejob/decide/observation.h"
#include "controllers/resumablejob/decide/plan.h"

namespace reprise::controllers::resumablejob {

[[nodiscard]] Plan decide(const Observation& seen, const Settings& settings);

}  // namespace reprise::controllers::resumablejob
