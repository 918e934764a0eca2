// A checkpoint as a scan of the volume saw it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::agent {

inline constexpr std::string_view kMarkerFormat = "Marker";

struct Checkpoint {
  std::string name;  // its path below the root of the volume: of a directory, or with some formats a file
  std::int64_t step = 0;
  bool complete = false;
  runtime::WallTime time{};  // when its last piece was written, by the clock of whoever wrote it
  std::string format{};      // that has recognised it (checkpoint_format.h), where more than one may be meant
  bool operator==(const Checkpoint&) const = default;
};

// Newest first, where nothing else is said: checkpoint_order.h.
using Checkpoints = std::vector<Checkpoint>;

}  // namespace reprise::agent
