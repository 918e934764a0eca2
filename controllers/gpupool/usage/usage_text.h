// The text by which a pod that is not a ResumableJob's uses a pool, ready to be pasted.
#pragma once

#include <string>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

// A part of a pod template, as YAML, for one unit of the pool. At most 8192 characters: taints that do not fit are left
// out, which a comment says, and so are labels and annotations of pods.
[[nodiscard]] std::string usage_text(const api::GpuPool& pool);

}  // namespace reprise::controllers::gpupool
