// Of which machines the table may not speak, and how a name was meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/rentable/gang_of_job.h"
#include "controllers/gpupool/rentable/room.h"

namespace reprise::controllers::rentable {
namespace {

using ::testing::HasSubstr;

api::GpuPoolSpec pool_requiring(std::vector<api::NodeRequirement> requirements) {
  api::GpuPoolSpec spec;
  spec.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = 8, .notice_seconds = {}}};
  spec.requirements = std::move(requirements);
  return spec;
}

api::NodeRequirement aws_label(const char* label, const char* op, std::vector<std::string> values) {
  return {"karpenter.k8s.aws/instance-" + std::string(label), op, std::move(values), {}};
}

std::string why_not(const api::GpuPoolSpec& spec) {
  const auto misfit = pool_misfit(spec);
  return misfit ? misfit->misfit.text() : "";
}

TEST(UnknownMachines, gpus_of_another_maker_are_not_judged_by_nvidias) {
  for (const api::NodeRequirement& maker :
       {aws_label("gpu-manufacturer", "In", {"amd"}), aws_label("gpu-manufacturer", "In", {"habana"}),
        aws_label("gpu-manufacturer", "NotIn", {"nvidia"}), aws_label("gpu-name", "In", {"radeon-pro-v520"}),
        aws_label("family", "In", {"g4ad"}), aws_label("category", "In", {"dl"})}) {
    api::GpuPoolSpec spec = pool_requiring({maker});
    spec.sharing.mode = api::SharingMode::External;
    spec.sharing.external = {.preset = api::ExternalPreset::Custom, .resource_name = "amd.com/gpu", .units_per_gpu = 1};
    EXPECT_EQ(why_not(spec), "") << text_of(maker);
    Gang gang{.ranks = 1, .units_per_rank = 1};
    EXPECT_FALSE(gang_misfit("p", spec, gang)) << text_of(maker);
    EXPECT_FALSE(gang_misfit("p", pool_requiring({}), {.demands = {{{"spec.template", maker}}}})) << text_of(maker);
  }
}

TEST(UnknownMachines, where_no_model_family_or_type_is_named_a_newer_one_may_do) {
  for (const api::NodeRequirement& any :
       {aws_label("gpu-memory", "Gt", {"400000"}), aws_label("gpu-count", "In", {"3"}),
        aws_label("generation", "Gt", {"8"}), aws_label("cpu", "Gt", {"400"})})
    EXPECT_EQ(why_not(pool_requiring({any})), "") << text_of(any);
  // g4ad is of the same category and generation, and has two GPUs of AMD's.
  EXPECT_EQ(why_not(pool_requiring({aws_label("category", "In", {"g"}), aws_label("generation", "In", {"4"}),
                                    aws_label("gpu-count", "In", {"2"})})),
            "");
  EXPECT_EQ(why_not(pool_requiring({aws_label("gpu-name", "In", {"l4"}), aws_label("generation", "Gt", {"6"})})), "");
  EXPECT_NE(why_not(pool_requiring({aws_label("family", "In", {"g5"}), aws_label("gpu-count", "In", {"2"})})), "");
}

TEST(UnknownMachines, a_size_that_may_be_newer_is_told_the_way_out) {
  api::GpuPoolSpec spec = pool_requiring({});
  spec.gpu.models = {"b200"};
  spec.gpu.counts_per_node = {4};
  EXPECT_THAT(why_not(spec), HasSubstr("change one of the two, or name in spec.instanceTypes a newer type"));
  spec.instance_types = {"p6-b200.24xlarge"};
  EXPECT_EQ(why_not(spec), "");
}

TEST(UnknownMachines, a_type_with_capitals_is_none) {
  for (const auto& [written, meant] : std::vector<std::pair<std::string, std::string>>{
           {"P4D.24xlarge", "p4d.24xlarge"}, {"G4DN.XLARGE", "g4dn.xlarge"}}) {
    api::GpuPoolSpec spec = pool_requiring({});
    spec.instance_types = {written};
    EXPECT_THAT(why_not(spec), HasSubstr("write " + meant));
    const auto found = misspelt_names(spec);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].field, "spec.instanceTypes[0]");
    EXPECT_EQ(found[0].meant, meant);
    EXPECT_EQ(why_not(pool_requiring({{"node.kubernetes.io/instance-type", "In", {written, meant}, {}}})), "");
  }
}

TEST(UnknownMachines, a_name_within_a_requirement_is_known_by_its_place) {
  const auto found =
      misspelt_names(pool_requiring({aws_label("cpu", "Gt", {"4"}), aws_label("gpu-name", "In", {"t4", "A100"})}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].field, "spec.requirements[1].values[1]");
  EXPECT_EQ(found[0].meant, "a100");
}

}  // namespace
}  // namespace reprise::controllers::rentable
