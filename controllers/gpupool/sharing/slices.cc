#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing slices(const api::Sharing& spec) {
  const std::int32_t replicas = spec.replicas.value_or(1);
  return {
      .resource_name = "nvidia.com/gpu.shared",
      .units_per_gpu = replicas,
      .needs_overlay = replicas > 1,
      .max_units = 1,
      .summary = std::string(api::name(spec.mode)) + (replicas > 1 ? " x" + std::to_string(replicas) : std::string())};
}

}  // namespace reprise::controllers::gpupool
