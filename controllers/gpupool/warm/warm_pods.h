// Makes the pods that keep GPUs ready as many as are wanted. A place that is taken from them is asked for anew, so that
// Karpenter rents another machine.
#pragma once

#include <cstdint>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/warm/warm_gpus.h"

namespace reprise::controllers::gpupool {

void plan_warm_pods(const Observation& seen, const Settings& settings, WarmGpus warm, Plan& plan);
// Counts those of them on a node, where their place is held.
[[nodiscard]] std::int32_t warm_gpus_ready(const Observation& seen);

}  // namespace reprise::controllers::gpupool
