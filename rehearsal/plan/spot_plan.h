// The times when spot capacity is available, by zone; recorded_spot.h makes them from a trace.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

struct SpotPlan {
  struct Edge {
    runtime::Duration at{0};  // in the cluster's time
    bool available = true;
  };
  struct Zone {
    std::string name;
    std::vector<Edge> edges = {};  // available from the start
    double price_per_hour = 0;     // for one node
  };
  std::vector<Zone> zones;
};

}  // namespace reprise::rehearsal
