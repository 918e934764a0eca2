// The use of jobs beyond `draw_workload`: each habit is drawn from a stream of its own, so that a seed which does not
// draw it keeps its scenario.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

// Suspended for a while, with a deadline or a limit of interruptions; people who accept an older checkpoint.
void draw_job_habits(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
