#include "controllers/gpupool/sharing/sharing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {
namespace {

api::Sharing of(api::SharingMode mode, std::optional<std::int32_t> replicas = {}) {
  return {.mode = mode, .replicas = replicas, .mig_devices = {}, .external_resource_name = {}};
}

TEST(GpuSharing, slices_go_under_a_name_of_their_own_of_which_karpenter_is_told) {
  const GpuSharing sharing = sharing_of(of(api::SharingMode::TimeSlicing, 4));
  EXPECT_EQ(sharing.resource_name, "nvidia.com/gpu.shared");
  EXPECT_EQ(sharing.units_per_gpu, 4);
  EXPECT_TRUE(sharing.needs_overlay);
  EXPECT_FALSE(sharing.offers_whole_gpus);
}

TEST(GpuSharing, a_whole_gpu_needs_no_overlay_no_label_and_no_configuration) {
  const GpuSharing sharing = sharing_of(of(api::SharingMode::Exclusive));
  EXPECT_EQ(sharing.resource_name, "nvidia.com/gpu");
  EXPECT_FALSE(sharing.needs_overlay);
  EXPECT_TRUE(sharing.node_labels.empty());
  EXPECT_FALSE(sharing.device_plugin);
  EXPECT_TRUE(sharing.offers_whole_gpus);
}

TEST(GpuSharing, nodes_are_labelled_with_the_key_under_which_their_configuration_lies) {
  const GpuSharing sharing = sharing_of(of(api::SharingMode::TimeSlicing, 8));
  ASSERT_TRUE(sharing.device_plugin);
  ASSERT_TRUE(sharing.node_labels.contains(std::string(kDevicePluginConfigLabel)));
  EXPECT_EQ(sharing.node_labels.at(std::string(kDevicePluginConfigLabel)), sharing.device_plugin->key);
  EXPECT_NE(sharing.device_plugin->content.find("replicas: 8\n"), std::string::npos);
}

TEST(GpuSharing, every_configuration_a_pool_may_ask_for_is_known_as_ours) {
  const auto all = all_device_plugin_configs();
  for (const std::int32_t replicas : {2, 48}) {
    const auto wanted = sharing_of(of(api::SharingMode::TimeSlicing, replicas)).device_plugin;
    EXPECT_TRUE(wanted && std::ranges::find(all, *wanted) != all.end()) << replicas;
  }
}

TEST(GpuSharing, every_mode_has_one_back_end) {
  std::vector<api::SharingMode> modes;
  for (const BackEnd& each : back_ends()) modes.push_back(each.mode);
  using enum api::SharingMode;
  EXPECT_EQ(modes, (std::vector{Exclusive, TimeSlicing, MPS, MIG, External}));
}

TEST(GpuSharing, a_node_offers_its_gpus_times_their_slices) {
  EXPECT_EQ(sharing_of(of(api::SharingMode::TimeSlicing, 4)).units(8), 32);
  EXPECT_EQ(sharing_of(of(api::SharingMode::Exclusive)).units(8), 8);
}

TEST(GpuSharing, a_mode_that_this_version_does_not_act_on_says_what_to_write_instead) {
  for (const auto mode : {api::SharingMode::MPS, api::SharingMode::MIG, api::SharingMode::External})
    EXPECT_NE(sharing_of(of(mode)).unsupported, "") << api::name(mode);
  for (const auto mode : {api::SharingMode::Exclusive, api::SharingMode::TimeSlicing})
    EXPECT_EQ(sharing_of(of(mode, 2)).unsupported, "") << api::name(mode);
}

TEST(GpuSharing, no_mode_promises_isolation_that_it_does_not_give) {
  EXPECT_EQ(sharing_of(of(api::SharingMode::TimeSlicing, 2)).isolation.memory, "None");
  EXPECT_EQ(sharing_of(of(api::SharingMode::MPS, 2)).isolation.fault, "None");
  EXPECT_EQ(sharing_of(of(api::SharingMode::External)).isolation.memory, "Unknown");
}

}  // namespace
}  // namespace reprise::controllers::gpupool
