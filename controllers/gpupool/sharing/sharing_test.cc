#include "controllers/gpupool/sharing/sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "controllers/gpupool/sharing/back_ends.h"

namespace reprise::controllers::gpupool {
namespace {

api::Sharing of(api::SharingMode mode, std::optional<std::int32_t> replicas = {}) {
  return {.mode = mode, .replicas = replicas, .mig_devices = {}};
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
  for (const auto mode : {api::SharingMode::TimeSlicing, api::SharingMode::MPS}) {
    for (const std::int32_t replicas : {2, 48}) {
      const auto wanted = sharing_of(of(mode, replicas)).device_plugin;
      EXPECT_TRUE(wanted && std::ranges::find(all, *wanted) != all.end()) << api::name(mode) << replicas;
    }
  }
}

TEST(GpuSharing, no_two_configurations_share_a_key) {
  std::set<std::string> keys;
  for (const DevicePluginConfig& each : all_device_plugin_configs())
    EXPECT_TRUE(keys.insert(each.key).second) << each.key;
}

TEST(GpuSharing, every_mode_has_one_back_end) {
  std::vector<api::SharingMode> modes;
  for (const BackEnd& each : back_ends()) modes.push_back(each.mode);
  using enum api::SharingMode;
  EXPECT_EQ(modes, (std::vector{Exclusive, TimeSlicing, MPS, MIG, External}));
}

TEST(GpuSharing, a_node_offers_its_gpus_times_their_slices) {
  EXPECT_EQ(sharing_of(of(api::SharingMode::TimeSlicing, 4)).quantity_of(8), 32);
  EXPECT_EQ(sharing_of(of(api::SharingMode::Exclusive)).quantity_of(8), 8);
}

TEST(GpuSharing, no_mode_promises_isolation_that_it_does_not_give) {
  EXPECT_EQ(sharing_of(of(api::SharingMode::TimeSlicing, 2)).isolation.memory, "None");
  EXPECT_EQ(sharing_of(of(api::SharingMode::MPS, 2)).isolation, (api::IsolationStatus{"Limited", "Limited", "None"}));
  EXPECT_EQ(sharing_of(of(api::SharingMode::External)).isolation.memory, "Unknown");
}

TEST(GpuSharing, mps_is_configured_as_mps_and_nodes_are_labelled_for_its_daemon) {
  const GpuSharing sharing = sharing_of(of(api::SharingMode::MPS, 4));
  ASSERT_TRUE(sharing.device_plugin);
  EXPECT_EQ(sharing.device_plugin->key, "mps-4");
  EXPECT_EQ(sharing.device_plugin->content,
            "version: v1\nsharing:\n  mps:\n    renameByDefault: true\n    failRequestsGreaterThanOne: true\n"
            "    resources:\n    - name: nvidia.com/gpu\n      replicas: 4\n");
  EXPECT_EQ(sharing.node_labels,
            (kube::StringMap{{std::string(kDevicePluginConfigLabel), "mps-4"}, {"nvidia.com/mps.capable", "true"}}));
  EXPECT_EQ(sharing.summary, "MPS x4");
  EXPECT_EQ(sharing.max_units, 1);
}

struct Limit {
  std::string sentence;
  std::vector<std::string> models, instance_types;
  std::int32_t replicas;
  std::string said;  // empty: it fits
};

TEST(GpuSharing, mps_serves_sixteen_on_gpus_before_turing_and_forty_eight_after) {
  const std::vector<Limit> rows{
      {"Volta, as many as it serves", {"v100"}, {}, 16, ""},
      {"Volta, one more", {"v100"}, {}, 17, "spec.gpu.models has v100 (7.0)"},
      {"Volta as Google names it", {"nvidia-tesla-v100"}, {}, 17, "has nvidia-tesla-v100 (7.0)"},
      {"Pascal as Azure names it", {"P100"}, {}, 48, "has P100 (6.0)"},
      {"Turing", {"t4"}, {}, 48, ""},
      {"a name that begins like an old one", {"p400", "l4"}, {}, 48, ""},
      {"an old one among new ones", {"t4", "v100"}, {}, 32, "take v100 out of spec.gpu.models"},
      {"an old one by its instance type", {}, {"g4dn.xlarge", "p3.2xlarge"}, 32, "spec.instanceTypes has p3.2xlarge"},
      {"an instance type that the models leave out", {"t4"}, {"g4dn.xlarge", "p3.2xlarge"}, 32, ""},
      {"any GPU", {}, {}, 48, ""},
  };
  for (const Limit& row : rows) {
    api::GpuPoolSpec spec;
    spec.gpu.models = row.models;
    spec.instance_types = row.instance_types;
    spec.sharing = of(api::SharingMode::MPS, row.replicas);
    const std::optional<std::string> said = sharing_misfit(spec);
    EXPECT_EQ(said.has_value(), !row.said.empty()) << row.sentence;
    if (said) {
      EXPECT_NE(said->find(row.said), std::string::npos) << *said;
    }
    spec.sharing.mode = api::SharingMode::TimeSlicing;
    EXPECT_FALSE(sharing_misfit(spec)) << "time slices know no such limit: " << row.sentence;
  }
}

}  // namespace
}  // namespace reprise::controllers::gpupool
