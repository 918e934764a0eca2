// Measures what a pool has, uses and costs right now.
#pragma once

#include <functional>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

struct Usage {
  std::vector<api::CapacityStatus> capacity;  // one per capacity type of the spec
  api::UnitsStatus units;
  api::PoolCostStatus cost;
};

using LookAtPod = std::function<void(const kube::Pod&)>;
// Shows each pod that may be on one of the pool's nodes, once.
using EachPod = std::function<void(const LookAtPod&)>;

// Time grows with nodes plus pods.
[[nodiscard]] Usage measure(const api::GpuPoolSpec& spec, const std::vector<std::shared_ptr<const kube::Node>>& nodes,
                            const EachPod& each_pod, prices::PriceTable table = {});
// The same, with machines that the cloud has launched and that are no nodes yet.
[[nodiscard]] Usage measure(const Observation& seen);

}  // namespace reprise::controllers::gpupool
