#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr Slicing kTimeSlicing{.key_prefix = "ts-", .strategy = "timeSlicing"};

}  // namespace

BackEnd time_slicing() {
  return {.mode = api::SharingMode::TimeSlicing,
          .share = [](const api::Sharing& spec) -> GpuSharing {
            GpuSharing sharing = slices(spec);
            sharing.device_plugin = sliced(kTimeSlicing, sharing.units_per_gpu);
            sharing.node_labels = {{std::string(kDevicePluginConfigLabel), sharing.device_plugin->key}};
            sharing.isolation = {"None", "None", "None"};
            return sharing;
          },
          .all_configs = [] { return all_sliced(kTimeSlicing); }};
}

}  // namespace reprise::controllers::gpupool
