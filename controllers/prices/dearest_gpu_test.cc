#include "controllers/prices/dearest_gpu.h"

#include <gtest/gtest.h>

namespace reprise::controllers::prices {
namespace {

using api::CapacityType;

api::GpuPoolSpec t4_on(std::string group) {
  api::GpuPoolSpec spec;
  spec.gpu.models = {"t4"};
  spec.node_class_ref = api::NodeClassRef{.group = std::move(group), .kind = "NodeClass", .name = "default"};
  return spec;
}

api::InstancePrice price(std::string type, CapacityType capacity, std::string per_hour, std::string zone = {}) {
  return {.instance_type = std::move(type),
          .capacity_type = capacity,
          .zone = std::move(zone),
          .per_hour = std::move(per_hour)};
}

TEST(DearestGpu, is_of_the_type_whose_price_by_its_gpus_is_the_highest) {
  const auto found = dearest_gpu(t4_on("karpenter.k8s.aws"), CapacityType::OnDemand);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->instance_type, "g4dn.4xlarge") << "1.204 for one; g4dn.12xlarge is 3.912 for four";
  EXPECT_EQ(found->per_hour, 1'204'000);
}

TEST(DearestGpu, is_looked_for_among_what_the_pool_may_rent) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  spec.instance_types = {"g4dn.xlarge"};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::OnDemand)->per_hour, 526'000);
  EXPECT_EQ(dearest_gpu(spec, CapacityType::Spot)->per_hour, 210'400) << "the usual share of the price on demand";
}

TEST(DearestGpu, costs_what_the_pool_s_own_table_says_in_the_dearest_zone) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  spec.instance_types = {"g4dn.xlarge"};
  spec.prices = {price("g4dn.xlarge", CapacityType::Spot, "0.17", "a"),
                 price("g4dn.xlarge", CapacityType::Spot, "0.18", "b"),
                 price("g4dn.xlarge", CapacityType::Spot, "0.15"), price("g4dn.xlarge", CapacityType::Spot, "0.19")};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::Spot)->per_hour, 180'000) << "the last one is never taken";
  spec.prices = {price("g4dn.xlarge", CapacityType::Spot, "0.15", "a")};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::Spot)->per_hour, 210'400) << "of other zones the table says nothing";
}

TEST(DearestGpu, of_another_cloud_is_known_by_the_table_alone) {
  api::GpuPoolSpec spec = t4_on("karpenter.azure.com");
  EXPECT_FALSE(dearest_gpu(spec, CapacityType::Spot));
  spec.prices = {price("Standard_NC64as_T4_v3", CapacityType::Spot, "1.60")};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::Spot)->per_hour, 1'600'000) << "nobody says how many GPUs it has";
  EXPECT_FALSE(dearest_gpu(spec, CapacityType::OnDemand));
  spec.gpu.counts_per_node = {8, 4};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::Spot)->per_hour, 400'000);
}

TEST(DearestGpu, costs_nothing_where_the_table_says_so) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  spec.instance_types = {"g4dn.xlarge"};
  spec.prices = {price("g4dn.xlarge", CapacityType::Reserved, "0")};
  ASSERT_TRUE(dearest_gpu(spec, CapacityType::Reserved));
  EXPECT_EQ(dearest_gpu(spec, CapacityType::Reserved)->per_hour, 0);
}

// Of machines whose price the catalogue lacks the table of machines knows the GPUs all the same.
TEST(DearestGpu, of_a_machine_that_only_the_pool_prices_is_by_the_gpus_that_it_has) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  spec.gpu.models = {"h200"};
  spec.prices = {price("p5e.48xlarge", CapacityType::OnDemand, "80.00")};
  spec.instance_types = {"p5e.48xlarge"};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::OnDemand)->per_hour, 10'000'000) << "eight of them";
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{8}));
  spec.instance_types = {};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::OnDemand)->per_hour, 10'000'000) << "p5en.48xlarge costs 63.296";
}

TEST(DearestGpu, is_none_of_a_machine_that_the_pool_never_rents_although_it_has_a_price_of_it) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  spec.prices = {price("p5e.48xlarge", CapacityType::OnDemand, "80.00")};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::OnDemand)->instance_type, "g4dn.4xlarge") << "its model is no t4";
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1, 4}));
}

TEST(DearestGpu, is_of_a_machine_that_meets_the_pool_s_own_requirements) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  spec.gpu.models = {};
  spec.requirements = {{"karpenter.k8s.aws/instance-family", "In", {"g5"}, {}},
                       {"karpenter.k8s.aws/instance-cpu", "Lt", {"16"}, {}}};
  EXPECT_EQ(dearest_gpu(spec, CapacityType::OnDemand)->instance_type, "g5.2xlarge");
  EXPECT_EQ(types_with_price(spec, CapacityType::OnDemand), (std::vector<std::string>{"g5.2xlarge", "g5.xlarge"}));
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1}));
  spec.requirements.back().key = "team";
  EXPECT_EQ(dearest_gpu(spec, CapacityType::OnDemand)->instance_type, "g5.8xlarge")
      << "of teams the table says nothing";
}

TEST(GpusOfMachines, are_those_of_the_types_that_the_pool_may_rent) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1, 4}));
  spec.instance_types = {"g4dn.12xlarge"};
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{4}));
  spec.instance_types.emplace_back("g99.metal");
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1, 4})) << "nobody knows of that one";
  spec.instance_types.back() = "g4dn.metal";
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{4, 8})) << "known without a price";
  spec = t4_on("karpenter.azure.com");
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1}));
  spec.gpu.counts_per_node = {4, 2};
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{2, 4}));
}

}  // namespace
}  // namespace reprise::controllers::prices
