// Plans of spot capacity: from a recorded trace, or without interruptions.
#pragma once

#include <string>

#include "controllers/placement/evaluation/trace.h"
#include "rehearsal/plan/spot_plan.h"

namespace reprise::rehearsal {

// The zones of the trace, from its begin: available while `nodes` of them could be had. A tick that was not looked at
// counts as the one before.
[[nodiscard]] SpotPlan spot_plan_of(const controllers::placement::Trace& trace, int nodes);
// Always available, in one zone of that name.
[[nodiscard]] SpotPlan steady_spot_plan(std::string name, double price_per_hour);

}  // namespace reprise::rehearsal
