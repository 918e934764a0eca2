// Habits of trainers beyond `draw_workload`: each is drawn from a stream of its own, so that a seed which does not draw
// it keeps its scenario.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

void draw_trainer_habits(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
