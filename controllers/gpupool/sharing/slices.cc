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

DevicePluginConfig sliced(const Slicing& slicing, std::int32_t replicas) {
  return {.key = std::string(slicing.key_prefix) + std::to_string(replicas),
          .content =
              "version: v1\n"
              "sharing:\n"
              "  " +
              std::string(slicing.strategy) +
              ":\n"
              "    renameByDefault: true\n"
              "    failRequestsGreaterThanOne: true\n"
              "    resources:\n"
              "    - name: nvidia.com/gpu\n"
              "      replicas: " +
              std::to_string(replicas) + "\n"};
}

std::vector<DevicePluginConfig> all_sliced(const Slicing& slicing) {
  constexpr std::int32_t kMaxReplicas = 48;  // the CRD's bound
  std::vector<DevicePluginConfig> all;
  for (std::int32_t replicas = 2; replicas <= kMaxReplicas; ++replicas) all.push_back(sliced(slicing, replicas));
  return all;
}

}  // namespace reprise::controllers::gpupool
