// Decides whether a pod fits a node: pure.
#pragma once

#include <string>

#include "simulator/actors/storage/volume_needs.h"
#include "simulator/actors/support/cluster_view.h"

namespace reprise::simulator {

// nodeSelector and required node affinity.
[[nodiscard]] bool selects(const PodSpecFacts& pod, const Labels& node);

enum class Misfit { None, Selection, Tainted, Closed, Volume, Room };
struct Fit {
  Misfit misfit = Misfit::None;
  std::string reason = {};  // as the scheduler says it
};
// `free`: the part of the node that others leave.
[[nodiscard]] Fit fit(const PodSpecFacts& pod, const VolumeNeeds& volumes, const NodeFacts& node,
                      const Resources& free);

}  // namespace reprise::simulator
