// The settings of pods and nodes for each system that shares GPUs beside NVIDIA's device plugin, as that system's own
// documentation has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "controllers/gpupool/sharing/presets.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {
namespace {

api::GpuPoolSpec pool_of(api::ExternalPreset preset, std::int32_t units_per_gpu = 4) {
  api::GpuPoolSpec spec;
  spec.existing_nodes.emplace();
  spec.sharing.mode = api::SharingMode::External;
  spec.sharing.external = api::ExternalSharing{
      .preset = preset, .units_per_gpu = units_per_gpu, .quantity_per_unit = {}, .memory_mib_per_unit = 4096};
  return spec;
}

GpuSharing sharing(api::ExternalPreset preset) {
  return sharing_of(pool_of(preset).sharing);
}

struct Golden {
  api::ExternalPreset preset;
  std::vector<UnitResource> resources;
  kube::StringMap pod_annotations, node_labels;
  std::string scheduler;
  api::IsolationStatus isolation;
};

TEST(ExternalSharing, each_system_is_asked_in_its_own_words) {
  using enum api::ExternalPreset;
  const std::vector<UnitResource> hami{{"nvidia.com/gpu", 1}, {"nvidia.com/gpumem", 4096}, {"nvidia.com/gpucores", 25}};
  const std::vector<Golden> rows{
      {HAMi, hami, {}, {{"gpu", "on"}}, "hami-scheduler", {"Limited", "Limited", "None"}},
      {FourParadigm, hami, {}, {{"gpu", "on"}}, "4pd-scheduler", {"Limited", "Limited", "None"}},
      {Volcano,
       {{"volcano.sh/vgpu-memory", 4096}, {"volcano.sh/vgpu-number", 1}},
       {},
       {},
       "volcano",
       {"Limited", "None", "None"}},
      {Volcengine,
       {{"vke.volcengine.com/mgpu-core", 25}, {"vke.volcengine.com/mgpu-memory", 4096}},
       {},
       {},
       "",
       {"Limited", "Limited", "Limited"}},
      {KAI, {}, {{"gpu-fraction", "0.25"}}, {}, "kai-scheduler", {"None", "None", "None"}},
      {Aliyun, {{"aliyun.com/gpu-mem", 4}}, {}, {{"gpushare", "true"}}, "", {"None", "None", "None"}},
      {Nvshare, {{"nvshare.com/gpu", 1}}, {}, {}, "", {"None", "Limited", "Limited"}}};
  std::set<api::ExternalPreset> seen;
  for (const Golden& row : rows) {
    const GpuSharing found = sharing(row.preset);
    const std::string_view name = api::name(row.preset);
    EXPECT_EQ(found.unit_resources, row.resources) << name;
    EXPECT_EQ(found.pod_annotations, row.pod_annotations) << name;
    EXPECT_EQ(found.node_labels, row.node_labels) << name;
    EXPECT_EQ(found.scheduler_name, row.scheduler) << name;
    EXPECT_EQ(found.isolation, row.isolation) << name;
    EXPECT_NE(found.shared_by.find("("), std::string::npos) << name << ": how alive it is";
    seen.insert(row.preset);
  }
  for (const Preset& preset : presets()) EXPECT_TRUE(seen.contains(preset.preset)) << api::name(preset.preset);
}

TEST(ExternalSharing, units_are_counted_by_what_the_nodes_show) {
  using enum api::ExternalPreset;
  const auto units = [](api::ExternalPreset preset, const kube::StringMap& shown) {
    return sharing(preset).units_in(shown);
  };
  EXPECT_EQ(units(Volcano, {{"volcano.sh/vgpu-memory", "16384"}, {"volcano.sh/vgpu-number", "10"}}), 4);
  EXPECT_EQ(units(Volcano, {{"volcano.sh/vgpu-memory", "16k"}}), 3) << "as the API server shortens 16000";
  EXPECT_EQ(units(KAI, {{"nvidia.com/gpu", "2"}}), 8);
  EXPECT_EQ(units(Aliyun, {{"aliyun.com/gpu-mem", "15"}}), 3) << "a part of a unit is none";
  EXPECT_EQ(units(HAMi, {{"nvidia.com/gpu", "10"}}), 10) << "HAMi's own count of virtual GPUs";
  EXPECT_EQ(units(Nvshare, {}), 0);
}

TEST(ExternalSharing, karpenter_is_told_of_all_that_a_unit_asks_for) {
  using enum api::ExternalPreset;
  EXPECT_TRUE(sharing(Volcano).needs_overlay);
  EXPECT_EQ(sharing(Volcano).quantity_of(2), 2 * 4 * 4096);
  EXPECT_FALSE(sharing(KAI).needs_overlay) << "whole GPUs are known to it";
  EXPECT_EQ(sharing(KAI).quantity_of(2), 2);
}

TEST(ExternalSharing, karpenter_makes_no_nodes_that_would_never_show_what_was_asked_for) {
  using enum api::ExternalPreset;
  for (const Preset& preset : presets()) {
    api::GpuPoolSpec spec = pool_of(preset.preset);
    EXPECT_FALSE(sharing_misfit(spec)) << api::name(preset.preset) << " on existing nodes";
    spec.existing_nodes.reset();
    spec.node_class_ref.emplace();
    spec.gpu.counts_per_node = {1};
    const bool refused = preset.preset == HAMi || preset.preset == FourParadigm || preset.preset == Volcengine;
    EXPECT_EQ(sharing_misfit(spec).has_value(), refused) << api::name(preset.preset);
  }
  api::GpuPoolSpec many = pool_of(Nvshare);
  many.existing_nodes.reset();
  many.node_class_ref.emplace();
  many.gpu.counts_per_node = {1, 4};
  EXPECT_TRUE(sharing_misfit(many)) << "it shares one GPU of a node";
}

TEST(ExternalSharing, what_the_pool_says_itself_wins_over_the_preset) {
  api::GpuPoolSpec spec = pool_of(api::ExternalPreset::HAMi);
  spec.sharing.external->scheduler_name = "my-scheduler";
  spec.sharing.external->node_labels = {{"gpu", "yes"}, {"example.com/rack", "7"}};
  spec.sharing.external->pod_labels = {{"example.com/queue", "vision"}};
  const GpuSharing found = sharing_of(spec.sharing);
  EXPECT_EQ(found.scheduler_name, "my-scheduler");
  EXPECT_EQ(found.node_labels, (kube::StringMap{{"gpu", "yes"}, {"example.com/rack", "7"}}));
  EXPECT_EQ(found.pod_labels, (kube::StringMap{{"example.com/queue", "vision"}}));
}

TEST(ExternalSharing, a_system_that_is_not_listed_is_described_by_the_pool_and_promises_nothing) {
  api::GpuPoolSpec spec = pool_of(api::ExternalPreset::Custom, 8);
  spec.sharing.external->resource_name = "example.com/vgpu";
  spec.sharing.external->quantity_per_unit = 2;
  const GpuSharing found = sharing_of(spec.sharing);
  EXPECT_EQ(found.unit_resources, (std::vector<UnitResource>{{"example.com/vgpu", 2}}));
  EXPECT_EQ(found.quantity_of(1), 16);
  EXPECT_EQ(found.units_in({{"example.com/vgpu", "16"}}), 8);
  EXPECT_EQ(found.isolation, (api::IsolationStatus{"Unknown", "Unknown", "Unknown"}));
  EXPECT_FALSE(found.max_units);
}

TEST(ExternalSharing, a_fraction_is_never_more_than_its_part_of_the_gpu) {
  for (std::int32_t units = 1; units <= 100; ++units) {
    const GpuSharing found = sharing_of(pool_of(api::ExternalPreset::KAI, units).sharing);
    const double fraction = std::stod(std::string(found.pod_annotations.at("gpu-fraction")));
    EXPECT_LE(fraction * units, 1.0001) << units;
    EXPECT_GT(fraction, 0) << units;
  }
}

}  // namespace
}  // namespace reprise::controllers::gpupool
