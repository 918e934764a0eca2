// The content of the live view at one moment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rehearsal/plan/spot_plan.h"
#include "runtime/base/clock.h"

namespace reprise::rehearsal {

struct RehearsalMoment {
  struct Node {
    std::string name, zone, capacity, state;
  };
  struct Pod {
    std::string name, node, state;
    std::int64_t step = -1;
  };
  struct Job {
    std::string name, state, message;
    std::int64_t attempt = 0, interruptions = 0, checkpoint_step = -1;
    runtime::Duration checkpoint_age{0};
    double progress = 0;  // 0 to 1; negative: not known
  };
  runtime::Duration time{0};
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<Job> jobs;
  std::vector<SpotPlan::Zone> zones;
  std::vector<std::string> news;  // lines since the last moment
};

// Called when something changed, at most ten times a real second. False: the person wants it to end.
using RehearsalObserver = std::function<bool(const RehearsalMoment&)>;

}  // namespace reprise::rehearsal
