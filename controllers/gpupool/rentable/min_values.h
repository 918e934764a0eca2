// Requirements that ask for more kinds of machines than there are. Pure.
#pragma once

#include <vector>

#include "api/gpu_pool.h"
#include "controllers/gpupool/rentable/misfit.h"

namespace reprise::controllers::rentable {

// minValues of the pool's requirements that its machines never reach. Karpenter rents none then, unless it is started
// with min-values-policy BestEffort: no reason to refuse anything.
[[nodiscard]] std::vector<Misfit> too_few_values(const api::GpuPoolSpec& spec);

}  // namespace reprise::controllers::rentable
