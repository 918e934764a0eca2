// The sharing of a pool's GPUs, as one value: what a pod asks for, what nodes are told, what Karpenter has to learn,
// what is guaranteed. A back end is a file that makes this value out of spec.sharing (back_ends.h); code that acts on
// it asks for no mode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

// A node whose device plugin shall use a key of its ConfigMap bears it in this label.
inline constexpr std::string_view kDevicePluginConfigLabel = "nvidia.com/device-plugin.config";

// A key of the device plugin's ConfigMap, and the plugin's configuration file under it. The key is named after the
// content, so that pools that share in the same way share the key: "ts-4".
struct DevicePluginConfig {
  std::string key, content;
  bool operator==(const DevicePluginConfig&) const = default;
};

// The quantity of a resource in a unit.
struct UnitResource {
  std::string name;
  std::int64_t quantity = 1;
  bool operator==(const UnitResource&) const = default;
};

struct Unsupported {
  std::string field;    // "spec.sharing.migDevices: found 2 profiles"
  std::string instead;  // says what to write
};

struct GpuSharing {
  // The part of the spec that this version does not act on; empty: it acts on all of it.
  std::optional<Unsupported> unsupported = {};
  // "nvidia.com/gpu", "nvidia.com/gpu.shared". Karpenter counts physical GPUs, so slices go under their own name.
  std::string resource_name = {};
  std::int32_t units_per_gpu = 1;
  // The quantity of resource_name in a unit; where units_per_quantity says so, several units share one of it.
  std::int64_t quantity_per_unit = 1;
  std::int32_t units_per_quantity = 1;
  // The quantity of resource_name that nodes with so many GPUs offer.
  [[nodiscard]] std::int64_t quantity_of(std::int64_t gpus) const {
    return gpus * units_per_gpu * quantity_per_unit / units_per_quantity;
  }
  // How many units stand in a node's allocatable or a pod's requests; 0 where none do.
  [[nodiscard]] std::int32_t units_in(const kube::StringMap& quantities) const;
  // The resources that a container asks for instead of one reprise.dev/gpu, where that is another thing than one of
  // resource_name. Empty: no resource, the pod's annotations ask.
  std::optional<std::vector<UnitResource>> unit_resources = {};
  // Labels and annotations of pods for the system that shares the GPUs.
  kube::StringMap pod_labels = {}, pod_annotations = {};
  std::string container_annotation = {};  // the pod's annotation that names the container with the GPU
  std::string scheduler_name = {};
  // Karpenter knows this resource of no instance type: NodeOverlays tell it.
  bool needs_overlay = false;
  kube::StringMap node_labels = {};
  std::optional<DevicePluginConfig> device_plugin = {};  // empty: the plugin's defaults serve
  api::IsolationStatus isolation = {};
  // The most that a container may ask for: units (empty: any number), and GPUs by the device plugin's own name.
  std::optional<std::int32_t> max_units = {};
  bool offers_whole_gpus = false;
  std::string summary = {};    // "TimeSlicing x4": for the printer column
  std::string shared_by = {};  // the system that shares the GPUs and how alive it is; empty: NVIDIA's device plugin
};

[[nodiscard]] GpuSharing sharing_of(const api::Sharing& spec);

// Tells a person what to know of the sharing, whoever shares the GPUs.
[[nodiscard]] std::string description_of(const GpuSharing& sharing, const std::string& resource_name);

// Says why the GPUs that the pool names cannot be shared as it says: field, found, allowed, what to do. Empty: they
// can.
[[nodiscard]] std::optional<std::string> sharing_misfit(const api::GpuPoolSpec& spec);

// Every configuration that some pool may have asked for: a key of the ConfigMap that equals none of these is not ours.
[[nodiscard]] std::vector<DevicePluginConfig> all_device_plugin_configs();

}  // namespace reprise::controllers::gpupool
