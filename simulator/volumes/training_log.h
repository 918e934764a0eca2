// What trainers really did, whatever anybody says about it: written by who plays them, read by the invariants.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/volumes/disk.h"

namespace reprise::simulator {

struct TrainingLog {
  struct Start {
    TrainerId who;
    std::int64_t step = 0;  // that it loaded; 0: from nothing
  };
  std::vector<Start> starts;
  std::vector<TrainerId> finished;  // came to the last step and ended with 0
};

}  // namespace reprise::simulator
