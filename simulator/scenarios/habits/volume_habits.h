// The storage of checkpoints in scenarios: shares that answer slowly, volumes on which thousands of attempts have left
// their files, object stores that move no directories; and a person who renounces existing checkpoints.
#pragma once

#include <cstdint>

#include "simulator/actors/storage/volumes.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

// Each from a stream of its own (own_stream.h).
void draw_volume_habits(std::uint64_t seed, Workload& workload);
// Call it before the first claim is made.
void prepare_volumes(const Workload& workload, Volumes& volumes);

}  // namespace reprise::simulator
