#include "controllers/gpupool/sharing/sharing.h"

#include <algorithm>
#include <limits>

#include "controllers/gpupool/sharing/back_ends.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {

std::int32_t GpuSharing::units_in(const kube::StringMap& quantities) const {
  const auto found = quantities.find(resource_name);
  if (found == quantities.end()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t whole = std::min(kube::whole_number(found->second).value_or(0) / quantity_per_unit, kMost);
  return static_cast<std::int32_t>(std::min(whole * units_per_quantity, kMost));
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

std::string description_of(const GpuSharing& sharing, const std::string& resource_name) {
  std::string said = sharing.unit_resources && sharing.unit_resources->empty()
                         ? "pods ask by annotation; jobs write reprise.dev/gpu"
                         : "pods request " + resource_name + "; jobs write reprise.dev/gpu";
  if (!sharing.shared_by.empty()) said += "; shared by " + sharing.shared_by;
  return said + "; isolation of memory " + sharing.isolation.memory + ", compute " + sharing.isolation.compute +
         ", faults " + sharing.isolation.fault;
}

}  // namespace reprise::controllers::gpupool
