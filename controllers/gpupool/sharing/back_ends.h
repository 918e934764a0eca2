// The ways to share a GPU, a file each; private to this folder. A new one is a value of api::SharingMode, a file, and a
// line in sharing.cc.
#pragma once

#include <vector>

#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {

// What every cut of a GPU into `spec.replicas` slices has in common.
[[nodiscard]] GpuSharing slices(const api::Sharing& spec);
[[nodiscard]] GpuSharing exclusive(const api::Sharing& spec);
[[nodiscard]] GpuSharing time_slicing(const api::Sharing& spec);
[[nodiscard]] std::vector<DevicePluginConfig> time_slicing_configs();
[[nodiscard]] GpuSharing mps(const api::Sharing& spec);
[[nodiscard]] GpuSharing mig(const api::Sharing& spec);
[[nodiscard]] GpuSharing external(const api::Sharing& spec);

}  // namespace reprise::controllers::gpupool
