// Chooses the pods that a pod of higher priority sends away: pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/actors/scheduler/fit.h"

namespace reprise::simulator {

struct Preemption {
  std::string node;
  std::vector<std::string> victims;  // keys of pods
};

// The node where the least important pods have to go, then the fewest, then the first by name; empty when no node would
// do even without all pods of lower priority.
[[nodiscard]] std::optional<Preemption> choose_victims(const PodSpecFacts& pod, const VolumeNeeds& volumes,
                                                       const ClusterView& view);

}  // namespace reprise::simulator
