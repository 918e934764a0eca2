// Invariants of scenarios in which spot stayed and nothing went wrong: a disturbed scenario hides such defects among
// its accidents.
#pragma once

#include <functional>
#include <string>

#include "simulator/api_server/api_server.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

// Call it when all jobs have ended. `object_to` takes the invariant's name and the sentence that says how it was
// broken. `counts-what-was`: a trainer that failed, or that its kubelet ended, was not interrupted. `turns-come-soon`:
// a job that waits for a claim begins when the job before it has ended, and not when somebody tidies up.
void judge_undisturbed(const ApiServer& api, const Workload& workload,
                       const std::function<void(std::string invariant, std::string what)>& object_to);

}  // namespace reprise::simulator
