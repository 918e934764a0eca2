// The trainers' real deeds and the losses by faults, whatever anybody says about them: read by the invariants.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/volumes/disk.h"

namespace reprise::simulator {

// A trainer whose helper processes (a data loader's workers) were taken by a signal while it saved with them.
struct SaveCutShort {
  TrainerId by;
  runtime::Duration needed{0};  // the save would have been complete after so long
  runtime::Duration left{0};    // the rest of its grace
  runtime::Duration grace{0};
};

// A trainer that hung, when it has ended.
struct EndedHang {
  TrainerId by;
  runtime::Duration lasted{0};
  runtime::Duration allowed{0};  // until its agent has ended it; 0: nobody watches, or something else stood in the way
};

struct TrainingLog {
  std::set<TrainerId> finished;    // came to the last step and ended with 0
  std::set<std::string> tampered;  // volumes whose checkpoints a fault took
  std::vector<SaveCutShort> cut_short;
  std::set<TrainerId> stood;  // brought nothing new for a while: hung, waited for another rank, or for the volume
  std::vector<EndedHang> hangs;
  std::set<TrainerId> no_room;  // failed because its volume had no room for a save
};

}  // namespace reprise::simulator
