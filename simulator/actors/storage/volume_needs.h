// The demands of a pod's claims on its node. Scheduler and Karpenter both look here.
#pragma once

#include <string>
#include <vector>

#include "simulator/actors/support/pod_writes.h"

namespace reprise::simulator {

struct VolumeNeeds {
  std::string problem;                                   // not empty: no node will do (yet)
  std::vector<std::vector<Requirements>> node_affinity;  // per volume: one of its terms must hold
  std::vector<std::string> to_provision;                 // claims that wait for the choice of a node

  [[nodiscard]] bool allow(const Labels& node) const;
};

[[nodiscard]] VolumeNeeds volume_needs(const World& world, const PodFacts& pod);
// volumeBindingMode WaitForFirstConsumer of the claim's class.
[[nodiscard]] bool waits_for_consumer(const World& world, const Value& claim);

}  // namespace reprise::simulator
