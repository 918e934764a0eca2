// What trainers really did and what faults took, whatever anybody says about it: read by the invariants.
#pragma once

#include <set>
#include <string>

#include "simulator/volumes/disk.h"

namespace reprise::simulator {

struct TrainingLog {
  std::set<TrainerId> finished;    // came to the last step and ended with 0
  std::set<std::string> tampered;  // volumes whose checkpoints a fault took
};

}  // namespace reprise::simulator
