// How a pool's GPUs are cut: what a pod must ask for, what the device plugin is told, what is guaranteed.
#pragma once

#include <string>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

// "nvidia.com/gpu", "nvidia.com/gpu.shared": Karpenter counts physical GPUs, so slices go under their own name.
[[nodiscard]] std::string resource_name(const api::Sharing& sharing);
[[nodiscard]] std::int32_t slices_per_gpu(const api::Sharing& sharing);
// The key of the device plugin's ConfigMap, which is also the node label's value: "ts-4". Named after its content, so
// pools that share in the same way share the key. Empty: no setting is needed.
[[nodiscard]] std::string device_plugin_key(const api::Sharing& sharing);
// The device plugin's configuration file (version v1) for that key.
[[nodiscard]] std::string device_plugin_config(const api::Sharing& sharing);
[[nodiscard]] api::IsolationStatus isolation(const api::Sharing& sharing);
// "Exclusive", "TimeSlicing x4": for the printer column.
[[nodiscard]] std::string in_words(const api::Sharing& sharing);

}  // namespace reprise::controllers::gpupool
