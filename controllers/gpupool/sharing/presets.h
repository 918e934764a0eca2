// Systems beside NVIDIA's device plugin that share GPUs, as data: which resources, labels and scheduler a pod and a
// node need for them, what they isolate, how alive they are. Private to this folder; docs/systems.md shows the table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"

namespace reprise::controllers::gpupool {

// How much of a resource one unit asks for.
enum class Share { One, MemoryMiB, MemoryGiB, PercentOfGpu };

struct PresetResource {
  std::string_view name;
  Share share;
};

struct Preset {
  api::ExternalPreset preset = api::ExternalPreset::Custom;
  std::string_view state = {};  // how alive its project is
  // The resources that a container asks for; the pool's units are counted by the first one. None: the pod's annotations
  // ask.
  std::vector<PresetResource> resources = {};
  std::string_view scheduler_name = {};  // empty: the cluster's own serves, or the system's webhook sets it
  std::string_view node_label = {}, node_label_value = {};
  std::string_view fraction_annotation = {}, container_annotation = {};
  std::string_view memory = {}, compute = {}, fault = {};  // values of api::IsolationStatus
  // Says why Karpenter cannot make nodes for it; empty: it can.
  std::string_view not_with_karpenter = {};
  bool one_gpu_per_node = false;
};

[[nodiscard]] std::span<const Preset> presets();
// Null for Custom.
[[nodiscard]] const Preset* find_preset(api::ExternalPreset preset);

}  // namespace reprise::controllers::gpupool
