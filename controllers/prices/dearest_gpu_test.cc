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

TEST(GpusOfMachines, are_those_of_the_types_that_the_pool_may_rent) {
  api::GpuPoolSpec spec = t4_on("karpenter.k8s.aws");
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1, 4}));
  spec.instance_types = {"g4dn.12xlarge"};
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{4}));
  spec.instance_types.emplace_back("g4dn.metal");
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1, 4})) << "nobody knows of that one";
  spec = t4_on("karpenter.azure.com");
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{1}));
  spec.gpu.counts_per_node = {4, 2};
  EXPECT_EQ(gpus_of_machines(spec), (std::vector<std::int64_t>{2, 4}));
}

}  // namespace
}  // namespace reprise::controllers::prices
