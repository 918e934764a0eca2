#include "controllers/gpupool/sharing/sharing.h"

#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing sharing_of(const api::Sharing& spec) {
  for (const BackEnd& each : back_ends()) {
    if (each.mode == spec.mode) return each.share(spec);
  }
  return {};
}

std::vector<DevicePluginConfig> all_device_plugin_configs() {
  std::vector<DevicePluginConfig> all;
  for (const BackEnd& each : back_ends()) {
    if (each.all_configs == nullptr) continue;
    for (DevicePluginConfig& config : each.all_configs()) all.push_back(std::move(config));
  }
  return all;
}

}  // namespace reprise::controllers::gpupool
