#include <gtest/gtest.h>

#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {
namespace {

api::GpuPoolSpec pool_of(std::vector<std::string> models, std::vector<api::MigDevice> devices,
                         std::vector<std::string> instance_types = {}) {
  api::GpuPoolSpec spec;
  spec.gpu.models = std::move(models);
  spec.instance_types = std::move(instance_types);
  spec.sharing = {.mode = api::SharingMode::MIG, .replicas = {}, .mig_devices = std::move(devices)};
  return spec;
}

TEST(Mig, a_unit_is_a_partition_under_the_name_of_its_profile) {
  const GpuSharing sharing = sharing_of(pool_of({"a100"}, {{"1g.5gb", 7}}).sharing);
  EXPECT_FALSE(sharing.unsupported);
  EXPECT_EQ(sharing.resource_name, "nvidia.com/mig-1g.5gb");
  EXPECT_EQ(sharing.quantity_of(8), 56);
  EXPECT_TRUE(sharing.needs_overlay);
  EXPECT_FALSE(sharing.offers_whole_gpus);
  EXPECT_EQ(sharing.summary, "MIG 1g.5gb x7");
  EXPECT_EQ(sharing.isolation, (api::IsolationStatus{"Hardware", "Hardware", "Hardware"}));
}

TEST(Mig, nodes_are_told_their_layout_and_the_plugin_to_name_partitions_by_their_profile) {
  const GpuSharing sharing = sharing_of(pool_of({"a100"}, {{"3g.20gb", 2}}).sharing);
  EXPECT_EQ(sharing.node_labels.at("nvidia.com/mig.config"), "all-3g.20gb");
  ASSERT_TRUE(sharing.device_plugin);
  EXPECT_EQ(sharing.node_labels.at(std::string(kDevicePluginConfigLabel)), sharing.device_plugin->key);
  EXPECT_NE(sharing.device_plugin->content.find("migStrategy: mixed"), std::string::npos);
}

TEST(Mig, several_profiles_are_refused_with_a_pool_for_each_as_the_way_out) {
  const GpuSharing sharing = sharing_of(pool_of({"a100"}, {{"1g.5gb", 2}, {"2g.10gb", 1}}).sharing);
  ASSERT_TRUE(sharing.unsupported);
  EXPECT_EQ(sharing.unsupported->field, "spec.sharing.migDevices: found 2 profiles");
  EXPECT_NE(sharing.unsupported->instead.find("a pool of its own for each"), std::string::npos);
  EXPECT_TRUE(sharing_of(pool_of({"a100"}, {{"1g.10gb+me", 1}}).sharing).unsupported);
}

api::GpuPoolSpec on_existing_nodes(api::GpuPoolSpec spec) {
  spec.existing_nodes.emplace();
  return spec;
}

struct Asked {
  const char* sentence;
  api::GpuPoolSpec spec;
  std::string said;  // empty: it fits
};

TEST(Mig, what_a_gpu_cannot_be_cut_into_is_refused_with_what_it_can) {
  const Asked rows[] = {
      {"as many as fit", pool_of({"a100"}, {{"1g.5gb", 7}}, {"p4d.24xlarge"}), ""},
      {"fewer", pool_of({"a100"}, {{"1g.5gb", 3}}, {"p4d.24xlarge"}), "count: found 3"},
      {"more", pool_of({"a100"}, {{"2g.10gb", 4}}, {"p4d.24xlarge"}), "3 of 2g.10gb; write 3"},
      {"a profile of the larger one", pool_of({"a100"}, {{"1g.20gb", 4}}, {"p4d.24xlarge"}),
       "7 of 1g.5gb, 4 of 1g.10gb"},
      {"one layout for two sizes", pool_of({"a100"}, {{"1g.5gb", 7}}),
       "a100 of p4de.24xlarge can be cut into 7 of 1g.10gb"},
      {"a GPU without MIG", pool_of({"t4"}, {{"1g.5gb", 7}}), "spec.gpu: found t4 of g4dn"},
      {"no GPU named", pool_of({}, {{"1g.5gb", 7}}), "spec.gpu.models: found none"},
      {"a GPU that no instance type of the catalogue has", pool_of({"a30"}, {{"1g.6gb", 4}}), ""},
      {"and what it cannot", pool_of({"a30"}, {{"1g.5gb", 7}}), "a30 can be cut into 4 of 1g.6gb"},
      {"a name of several sizes that the catalogue lacks", pool_of({"nvidia-h100"}, {{"1g.12gb", 7}}), ""},
      {"one size of two, of nodes that are there", on_existing_nodes(pool_of({"a100"}, {{"1g.5gb", 7}})), ""},
      {"the other size", on_existing_nodes(pool_of({"a100"}, {{"1g.10gb", 7}})), ""},
      {"what neither can", on_existing_nodes(pool_of({"a100"}, {{"1g.12gb", 7}})),
       "narrow spec.gpu.models and spec.existingNodes.selector"},
  };
  for (const Asked& row : rows) {
    const std::optional<std::string> said = sharing_misfit(row.spec);
    EXPECT_EQ(said.has_value(), !row.said.empty()) << row.sentence << ": " << said.value_or("");
    if (said) {
      EXPECT_NE(said->find(row.said), std::string::npos) << row.sentence << ": " << *said;
    }
  }
}

}  // namespace
}  // namespace reprise::controllers::gpupool
