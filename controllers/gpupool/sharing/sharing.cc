#include "controllers/gpupool/sharing/sharing.h"

#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {

GpuSharing sharing_of(const api::Sharing& spec) {
  switch (spec.mode) {
    case api::SharingMode::Exclusive:
      return exclusive(spec);
    case api::SharingMode::TimeSlicing:
      return time_slicing(spec);
    case api::SharingMode::MPS:
      return mps(spec);
    case api::SharingMode::MIG:
      return mig(spec);
    case api::SharingMode::External:
      return external(spec);
  }
  return {};
}

std::vector<DevicePluginConfig> all_device_plugin_configs() {
  return time_slicing_configs();
}

}  // namespace reprise::controllers::gpupool
