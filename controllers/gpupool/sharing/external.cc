#include <algorithm>
#include <utility>

#include "controllers/gpupool/sharing/back_ends.h"
#include "controllers/gpupool/sharing/presets.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::int64_t kMiBPerGiB = 1024;

std::int64_t quantity(Share share, const api::ExternalSharing& spec) {
  const std::int64_t memory_mib = spec.memory_mib_per_unit.value_or(0);
  switch (share) {
    case Share::One:
      return 1;
    case Share::MemoryMiB:
      return memory_mib;
    case Share::MemoryGiB:
      return memory_mib / kMiBPerGiB;
    case Share::PercentOfGpu:
      return std::max(100 / spec.units_per_gpu, 1);
  }
  return 1;
}

// "0.25", "0.33": two digits, and never more than there is.
std::string fraction(std::int32_t units_per_gpu) {
  if (units_per_gpu == 1) return "1";
  const std::int32_t hundredths = std::max(100 / units_per_gpu, 1);
  const std::string digits = std::to_string(hundredths);
  return "0." + std::string(2 - digits.size(), '0') + digits;
}

// Adds the pool's own settings, which win.
void add(const kube::StringMap& own, kube::StringMap& to) {
  for (const auto& [key, value] : own) to[key] = value;
}

GpuSharing of_preset(const Preset& preset, const api::ExternalSharing& spec) {
  GpuSharing out;
  std::vector<UnitResource> asked;
  for (const PresetResource& each : preset.resources)
    asked.push_back({std::string(each.name), quantity(each.share, spec)});
  if (asked.empty()) {
    // The system that shares the GPU takes the whole of it from Kubernetes.
    out.resource_name = "nvidia.com/gpu";
    out.units_per_quantity = spec.units_per_gpu;
    out.pod_annotations[std::string(preset.fraction_annotation)] = fraction(spec.units_per_gpu);
    out.container_annotation = preset.container_annotation;
  } else {
    out.resource_name = asked.front().name;
    out.quantity_per_unit = std::max<std::int64_t>(asked.front().quantity, 1);
    out.needs_overlay = true;
  }
  out.unit_resources = std::move(asked);
  if (!preset.node_label.empty())
    out.node_labels = {{std::string(preset.node_label), std::string(preset.node_label_value)}};
  out.scheduler_name = preset.scheduler_name;
  out.isolation = {std::string(preset.memory), std::string(preset.compute), std::string(preset.fault)};
  out.max_units = 1;
  out.shared_by = std::string(api::name(preset.preset)) + " (" + std::string(preset.state) + ")";
  return out;
}

GpuSharing custom(const api::ExternalSharing& spec) {
  GpuSharing out;
  out.resource_name = spec.resource_name;
  out.quantity_per_unit = spec.quantity_per_unit.value_or(1);
  out.unit_resources = {{{spec.resource_name, out.quantity_per_unit}}};
  out.needs_overlay = true;
  out.isolation = {"Unknown", "Unknown", "Unknown"};
  out.shared_by = "the device plugin that offers " + spec.resource_name;
  return out;
}

GpuSharing share(const api::Sharing& sharing) {
  if (!sharing.external) return {.isolation = {"Unknown", "Unknown", "Unknown"}, .summary = "External"};
  const api::ExternalSharing& spec = *sharing.external;
  const Preset* const preset = find_preset(spec.preset);
  GpuSharing out = preset != nullptr ? of_preset(*preset, spec) : custom(spec);
  out.units_per_gpu = spec.units_per_gpu;
  add(spec.pod_labels, out.pod_labels);
  add(spec.pod_annotations, out.pod_annotations);
  add(spec.node_labels, out.node_labels);
  if (!spec.scheduler_name.empty()) out.scheduler_name = spec.scheduler_name;
  out.summary = "External " + std::string(api::name(spec.preset)) + " x" + std::to_string(spec.units_per_gpu);
  return out;
}

std::optional<std::string> misfit(const api::GpuPoolSpec& spec) {
  if (!spec.sharing.external) return "spec.sharing.external: found none, must be set when mode is External";
  const Preset* const preset = find_preset(spec.sharing.external->preset);
  if (preset == nullptr || !spec.node_class_ref) return std::nullopt;
  const std::string name(api::name(preset->preset));
  if (!preset->not_with_karpenter.empty()) {
    return "spec.sharing.external.preset: found " + name +
           ", not with spec.nodeClassRef: " + std::string(preset->not_with_karpenter) +
           "; make the nodes by other means and name them in spec.existingNodes, or choose another way to share";
  }
  if (preset->one_gpu_per_node && spec.gpu.counts_per_node != std::vector<std::int32_t>{1}) {
    return "spec.gpu.countsPerNode: must be [1] with sharing.external.preset " + name +
           ", which shares the first GPU of a node and no other";
  }
  return std::nullopt;
}

}  // namespace

BackEnd external() {
  return {.mode = api::SharingMode::External, .share = share, .misfit = misfit};
}

}  // namespace reprise::controllers::gpupool
