// What a pool has, uses and costs right now.
#pragma once

#include "controllers/gpupool/observation.h"

namespace reprise::controllers::gpupool {

struct Usage {
  std::vector<api::CapacityStatus> capacity;  // one per capacity type of the spec
  api::UnitsStatus units;
  api::PoolCostStatus cost;
};

[[nodiscard]] Usage measure(const Observation& seen);

}  // namespace reprise::controllers::gpupool
