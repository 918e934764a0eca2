#include "controllers/gpupool/sharing/sharing.h"

#include <charconv>

#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

std::int32_t GpuSharing::units_in(const kube::StringMap& quantities) const {
  const auto found = quantities.find(resource_name);
  std::int32_t count = 0;
  if (found != quantities.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), count);
  return count;
}

GpuSharing sharing_of(const api::Sharing& spec) {
  for (const BackEnd& each : back_ends()) {
    if (each.mode == spec.mode) return each.share(spec);
  }
  return {};
}

std::optional<std::string> sharing_misfit(const api::GpuPoolSpec& spec) {
  for (const BackEnd& each : back_ends()) {
    if (each.mode == spec.sharing.mode && each.misfit != nullptr) return each.misfit(spec);
  }
  return std::nullopt;
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
