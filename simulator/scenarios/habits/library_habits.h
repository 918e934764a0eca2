// Trainers that save by a library, in its own layout, below folders of their own and beside files of others. Drawn from
// a stream of its own: a seed that does not draw it keeps its scenario.
#pragma once

#include <cstdint>

#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

void draw_libraries(std::uint64_t seed, Workload& workload);

}  // namespace reprise::simulator
