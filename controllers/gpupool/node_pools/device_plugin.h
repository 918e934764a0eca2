// The keys of NVIDIA's device plugin's ConfigMap: one for each way of sharing, which nodes name in a label.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

// Plans the key that the pool's nodes read. Returns what stands in the way.
[[nodiscard]] std::optional<std::string> plan_device_plugin(const Observation& seen, Plan& plan);

// The keys of the operator's own ConfigMap that no pool needs any more. A key that a person changed is not touched.
[[nodiscard]] std::vector<std::string> unused_device_plugin_keys(
    const kube::ConfigMap& config_map, const std::vector<std::shared_ptr<const api::GpuPool>>& pools);
// A device plugin that starts anew on a node whose key is gone shows no GPUs: a key stays as long as a node reads it.
[[nodiscard]] bool is_read(const std::string& key, const std::vector<std::shared_ptr<const kube::Node>>& nodes);

inline constexpr std::string_view kDefaultConfigMap = "reprise-device-plugin";

// The key that nodes without a label read, by the config manager's strategy "named"; so do labelled ones for a moment.
// Without it they would read the only key there is, and of two none: their plugin would not start.
// (docs/decisions/pools/0120-device-plugin-default.md)
inline constexpr std::string_view kDefaultKey = "default";
inline constexpr std::string_view kSharesNothing = "version: v1\n";
// Written with the first key, put back where it is missing, and never tidied away; what a person wrote there stays.
[[nodiscard]] kube::StringMap new_device_plugin_map(const std::string& key, const std::string& content);

// The name of the ConfigMap in the operator's namespace that the device plugin reads.
[[nodiscard]] std::string device_plugin_config_map(const api::GpuPool& pool);

}  // namespace reprise::controllers::gpupool
