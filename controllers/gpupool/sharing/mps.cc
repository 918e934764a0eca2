#include "controllers/gpupool/sharing/back_ends.h"
#include "controllers/gpupool/sharing/compute_capability.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr Slicing kMps{.key_prefix = "mps-", .strategy = "mps"};
// The plugin's MPS daemon runs where this says so. GPU feature discovery sets it too, where it is installed, and later.
constexpr std::string_view kCapableLabel = "nvidia.com/mps.capable";

// Clients that a GPU's MPS server takes: 48, as the CRD has it, and fewer below compute capability 7.5.
constexpr std::int32_t kMaxOfOldGpus = 16;
constexpr ComputeCapability kFirstWithMore{7, 5};

std::optional<std::string> too_many(const api::GpuPoolSpec& spec) {
  const std::int32_t replicas = spec.sharing.replicas.value_or(1);
  if (replicas <= kMaxOfOldGpus) return std::nullopt;
  const std::optional<NamedGpu> old = first_below(kFirstWithMore, spec);
  if (!old) return std::nullopt;
  const std::string most = std::to_string(kMaxOfOldGpus);
  return "spec.sharing.replicas: found " + std::to_string(replicas) + ", MPS serves at most " + most +
         " processes on GPUs below compute capability 7.5, and " + old->field + " has " + old->name + " (" +
         old->capability.text() + "); write " + most + " or take " + old->name + " out of " + old->field;
}

}  // namespace

BackEnd mps() {
  return {.mode = api::SharingMode::MPS,
          .share = [](const api::Sharing& spec) -> GpuSharing {
            GpuSharing sharing = slices(spec);
            sharing.device_plugin = sliced(kMps, sharing.units_per_gpu);
            sharing.node_labels = {{std::string(kDevicePluginConfigLabel), sharing.device_plugin->key},
                                   {std::string(kCapableLabel), "true"}};
            sharing.isolation = {"Limited", "Limited", "None"};
            return sharing;
          },
          .misfit = too_many,
          .all_configs = [] { return all_sliced(kMps); }};
}

}  // namespace reprise::controllers::gpupool
