#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::int32_t kMaxReplicas = 48;  // the CRD's bound

DevicePluginConfig time_slices(std::int32_t replicas) {
  return {.key = "ts-" + std::to_string(replicas),
          .content =
              "version: v1\n"
              "sharing:\n"
              "  timeSlicing:\n"
              "    renameByDefault: true\n"
              "    failRequestsGreaterThanOne: true\n"
              "    resources:\n"
              "    - name: nvidia.com/gpu\n"
              "      replicas: " +
              std::to_string(replicas) + "\n"};
}

}  // namespace

BackEnd time_slicing() {
  return {.mode = api::SharingMode::TimeSlicing,
          .share = [](const api::Sharing& spec) -> GpuSharing {
            GpuSharing sharing = slices(spec);
            sharing.device_plugin = time_slices(sharing.units_per_gpu);
            sharing.node_labels = {{std::string(kDevicePluginConfigLabel), sharing.device_plugin->key}};
            sharing.isolation = {"None", "None", "None"};
            return sharing;
          },
          .all_configs =
              [] {
                std::vector<DevicePluginConfig> all;
                for (std::int32_t replicas = 2; replicas <= kMaxReplicas; ++replicas)
                  all.push_back(time_slices(replicas));
                return all;
              }};
}

}  // namespace reprise::controllers::gpupool
