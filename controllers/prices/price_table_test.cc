// What holds of the prices that several sources state.
#include "controllers/prices/price_table.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "controllers/prices/dearest_gpu.h"
#include "controllers/prices/node_price.h"

namespace reprise::controllers::prices {
namespace {

using api::CapacityType;
using Prices = std::vector<api::InstancePrice>;

api::InstancePrice costs(std::string type, CapacityType capacity, std::string per_hour, std::string zone = {}) {
  return {.instance_type = std::move(type),
          .capacity_type = capacity,
          .zone = std::move(zone),
          .per_hour = std::move(per_hour)};
}

kube::ObjectMeta spot_machine(std::string_view type = "g4dn.xlarge") {
  kube::ObjectMeta meta;
  meta.labels["node.kubernetes.io/instance-type"] = type;
  meta.labels["karpenter.sh/capacity-type"] = "spot";
  meta.labels["topology.kubernetes.io/zone"] = "a";
  return meta;
}

TEST(PriceTable, holds_where_neither_pool_nor_node_says_a_price) {
  const Prices table{costs("g4dn.xlarge", CapacityType::Spot, "0.30")};
  api::GpuPoolSpec pool;
  kube::ObjectMeta machine = spot_machine();
  EXPECT_EQ(price_of(pool, machine, {}).per_hour, 210'400) << "by the catalogue";
  EXPECT_EQ(price_of(pool, machine, table).per_hour, 300'000);
  machine.labels["eks-node-viewer/instance-price"] = "0.20";
  EXPECT_EQ(price_of(pool, machine, table).per_hour, 200'000) << "the node's own";
  pool.prices = {costs("g4dn.xlarge", CapacityType::Spot, "0.10")};
  EXPECT_EQ(price_of(pool, machine, table).per_hour, 100'000) << "the pool's own";
}

TEST(PriceTable, is_read_from_the_top_and_by_zone) {
  const Prices table{costs("g4dn.xlarge", CapacityType::Spot, "0.31", "a"),
                     costs("g4dn.xlarge", CapacityType::Spot, "0.32", "b"),
                     costs("g4dn.xlarge", CapacityType::Spot, "0.33")};
  EXPECT_EQ(first_stated(table, "g4dn.xlarge", CapacityType::Spot, "b"), 320'000);
  EXPECT_EQ(first_stated(table, "g4dn.xlarge", CapacityType::Spot, "c"), 330'000);
  EXPECT_EQ(first_stated(table, "g4dn.xlarge", CapacityType::Reserved, "a"), std::nullopt);
}

TEST(PriceTable, with_prices_on_demand_alone_says_of_spot_the_usual_share_where_the_cloud_is_known) {
  const Prices table{costs("g4dn.xlarge", CapacityType::OnDemand, "1.00"),
                     costs("Standard_NC4as_T4_v3", CapacityType::OnDemand, "0.50")};
  EXPECT_EQ(price_of({}, spot_machine(), table).per_hour, 400'000);
  EXPECT_EQ(price_of({}, spot_machine("Standard_NC4as_T4_v3"), table).per_hour, 500'000);
  EXPECT_EQ(price_of({}, spot_machine("x9.huge"), table).per_hour, 0) << "nobody knows";
}

TEST(PriceTable, says_what_a_spot_machine_would_have_cost_on_demand) {
  const Prices table{costs("g4dn.xlarge", CapacityType::OnDemand, "0.60"),
                     costs("Standard_NC4as_T4_v3", CapacityType::Spot, "0.20"),
                     costs("Standard_NC4as_T4_v3", CapacityType::OnDemand, "0.50")};
  api::GpuPoolSpec pool;
  EXPECT_EQ(price_of(pool, spot_machine(), {}).on_demand_per_hour, 526'000) << "by the catalogue";
  EXPECT_EQ(price_of(pool, spot_machine(), table).on_demand_per_hour, 600'000);
  EXPECT_EQ(price_of(pool, spot_machine("Standard_NC4as_T4_v3"), table).on_demand_per_hour, 500'000);
  pool.prices = {costs("g4dn.xlarge", CapacityType::OnDemand, "0.45")};
  EXPECT_EQ(price_of(pool, spot_machine(), table).on_demand_per_hour, 450'000) << "as the pool has agreed";
}

TEST(PriceTable, counts_for_what_a_gpu_may_cost) {
  api::GpuPoolSpec pool;
  pool.gpu.models = {"t4"};
  pool.instance_types = {"g4dn.xlarge"};
  pool.node_class_ref = api::NodeClassRef{.group = "karpenter.k8s.aws", .kind = "EC2NodeClass", .name = "default"};
  const Prices dearer{costs("g4dn.xlarge", CapacityType::Spot, "0.31", "a")};
  EXPECT_EQ(dearest_gpu(pool, CapacityType::Spot, dearer)->per_hour, 310'000);
  EXPECT_EQ(dearest_gpu(pool, CapacityType::OnDemand, dearer)->per_hour, 526'000) << "of which it says nothing";
  pool.prices = {costs("g4dn.xlarge", CapacityType::Spot, "0.15")};
  EXPECT_EQ(dearest_gpu(pool, CapacityType::Spot, dearer)->per_hour, 150'000) << "the pool's own";
}

TEST(PriceTable, counts_by_the_entries_that_come_first) {
  api::GpuPoolSpec pool;
  pool.gpu.models = {"t4"};
  pool.instance_types = {"g4dn.xlarge"};
  pool.node_class_ref = api::NodeClassRef{.group = "karpenter.k8s.aws", .kind = "EC2NodeClass", .name = "default"};
  const Prices own_before_list_prices{costs("g4dn.xlarge", CapacityType::OnDemand, "0.30"),
                                      costs("g4dn.xlarge", CapacityType::OnDemand, "0.526")};
  EXPECT_EQ(dearest_gpu(pool, CapacityType::OnDemand, own_before_list_prices)->per_hour, 300'000);
  EXPECT_EQ(dearest_gpu(pool, CapacityType::Spot, own_before_list_prices)->per_hour, 120'000) << "the share of that";
}

TEST(PriceTable, of_the_whole_cluster_gives_a_pool_no_types_that_it_does_not_name) {
  api::GpuPoolSpec pool;
  pool.gpu.models = {"t4"};
  pool.node_class_ref = api::NodeClassRef{.group = "karpenter.azure.com", .kind = "AKSNodeClass", .name = "default"};
  const Prices table{costs("Standard_NC4as_T4_v3", CapacityType::OnDemand, "0.526"),
                     costs("Standard_ND96isr_H100_v5", CapacityType::OnDemand, "98.32")};
  EXPECT_TRUE(types_with_price(pool, CapacityType::OnDemand, table).empty());
  pool.instance_types = {"Standard_NC4as_T4_v3", "Standard_unknown"};
  EXPECT_EQ(types_with_price(pool, CapacityType::OnDemand, table), std::vector<std::string>{"Standard_NC4as_T4_v3"});
}

}  // namespace
}  // namespace reprise::controllers::prices
