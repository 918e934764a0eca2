#include "controllers/gpupool/sharing/presets.h"

#include <algorithm>

namespace reprise::controllers::gpupool {
namespace {

// Karpenter launches a node for what its pods ask and waits until the node shows all of it; HAMi's nodes show their
// number of virtual GPUs alone. (docs/decisions/pools/0072-sharing-systems.md)
constexpr std::string_view kMemoryIsNotShown =
    "its nodes do not show nvidia.com/gpumem and nvidia.com/gpucores, so Karpenter would wait for them without end";

// HAMi, and what it was before it had that name.
Preset hami(api::ExternalPreset preset, std::string_view state, std::string_view scheduler) {
  using enum Share;
  return {
      .preset = preset,
      .state = state,
      .resources = {{"nvidia.com/gpu", One}, {"nvidia.com/gpumem", MemoryMiB}, {"nvidia.com/gpucores", PercentOfGpu}},
      .scheduler_name = scheduler,
      .node_label = "gpu",
      .node_label_value = "on",
      .memory = "Limited",
      .compute = "Limited",
      .fault = "None",
      .not_with_karpenter = kMemoryIsNotShown};
}

}  // namespace

// The keys: HAMi v2.10 (docs/userguide), 4paradigm k8s-vgpu-scheduler 2024-02, volcano-vgpu-device-plugin 2026-08, KAI
// Scheduler v0.12 (docs/gpu-sharing), gpushare-scheduler-extender 2023-03, nvshare 2025-03; mGPU from the vendor's
// manual.
// NOLINTNEXTLINE(readability-function-size): a table, one row per system
std::span<const Preset> presets() {
  using enum Share;
  static const std::vector<Preset> table{
      hami(api::ExternalPreset::HAMi, "alive, CNCF incubating", "hami-scheduler"),
      hami(api::ExternalPreset::FourParadigm, "dead since February 2024, goes on as HAMi", "4pd-scheduler"),
      {.preset = api::ExternalPreset::Volcano,
       .state = "alive",
       // Without volcano.sh/vgpu-cores, which its nodes do not show: Karpenter would wait for them.
       .resources = {{"volcano.sh/vgpu-memory", MemoryMiB}, {"volcano.sh/vgpu-number", One}},
       .scheduler_name = "volcano",
       .memory = "Limited",
       .compute = "None",
       .fault = "None"},
      {.preset = api::ExternalPreset::Volcengine,
       .state = "closed source, on Volcengine's VKE alone",
       .resources = {{"vke.volcengine.com/mgpu-core", PercentOfGpu}, {"vke.volcengine.com/mgpu-memory", MemoryMiB}},
       .memory = "Limited",
       .compute = "Limited",
       .fault = "Limited",
       .not_with_karpenter = "VKE has an autoscaler of its own"},
      {.preset = api::ExternalPreset::KAI,
       .state = "alive",
       .scheduler_name = "kai-scheduler",
       .fraction_annotation = "gpu-fraction",
       .container_annotation = "gpu-fraction-container-name",
       .memory = "None",
       .compute = "None",
       .fault = "None"},
      {.preset = api::ExternalPreset::Aliyun,
       .state = "dead since March 2023",
       .resources = {{"aliyun.com/gpu-mem", MemoryGiB}},
       .node_label = "gpushare",
       .node_label_value = "true",
       .memory = "None",
       .compute = "None",
       .fault = "None"},
      {.preset = api::ExternalPreset::Nvshare,
       .state = "nearly dead, last change in March 2025",
       .resources = {{"nvshare.com/gpu", One}},
       .memory = "None",
       .compute = "Limited",
       .fault = "Limited",
       .one_gpu_per_node = true}};
  return table;
}

const Preset* find_preset(api::ExternalPreset preset) {
  const auto found = std::ranges::find(presets(), preset, &Preset::preset);
  return found == presets().end() ? nullptr : &*found;
}

}  // namespace reprise::controllers::gpupool
