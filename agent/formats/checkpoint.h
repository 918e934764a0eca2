// A checkpoint directory as a scan of the volume saw it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::agent {

struct Checkpoint {
  std::string name;  // of the directory, directly below the root of the volume
  std::int64_t step = 0;
  bool complete = false;
  runtime::WallTime time{};  // when its last piece was written, by the clock of whoever wrote it
  bool operator==(const Checkpoint&) const = default;
};

// Newest first, where nothing else is said: checkpoint_order.h.
using Checkpoints = std::vector<Checkpoint>;

}  // namespace reprise::agent
