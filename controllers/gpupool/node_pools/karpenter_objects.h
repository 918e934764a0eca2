// Makes the NodePools and NodeOverlays that are there into those that a pool wants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

// The obstacles to that. `foreign` and `going` are empty where all is synced or on its way.
struct InTheWay {
  std::optional<std::string> foreign = {}, going = {};
  // NodePools that the pool wants no more and that have machines: they rent no more, and go with the last one.
  std::string running_dry = {};
};
inline constexpr std::string_view kRunningDry = "RunningDry";

[[nodiscard]] InTheWay plan_node_pools(const Observation& seen, const std::vector<api::NodePool>& wanted, Plan& plan);
void plan_overlays(const Observation& seen, const std::vector<api::NodeOverlay>& wanted, Plan& plan);

}  // namespace reprise::controllers::gpupool
