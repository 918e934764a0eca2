// A pool's cost limit where machines have several GPUs, or prices of their own.
#include "controllers/gpupool/limits/cost_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/testing/rented_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using api::CapacityType;
using controllers::testing::MakePool;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Rented;

// Eight GPUs to a machine: 55.04 on demand, 22.016 as spot by the catalogue.
class RentedByEight : public Rented {
 public:
  explicit RentedByEight(std::string most) : Rented(std::move(most)) {
    auto pool = std::make_shared<api::GpuPool>(*seen_.pool);
    pool->spec.gpu.models = {"h100"};
    pool->spec.gpu.counts_per_node = {8};
    pool->spec.instance_types = {"p5.48xlarge"};
    pool->spec.prices = {};
    seen_.pool = pool;
  }
};

TEST(CostLimit, pays_for_the_whole_machine_that_a_pod_of_few_gpus_needs) {
  RentedByEight named("60.00");
  named.with_waiting("on-demand");
  EXPECT_EQ(named.limits()[1], "8") << "55.04 is there, and no machine has fewer";
  RentedByEight any("60.00");
  any.with_waiting("").unanswered_for(seconds(90));
  EXPECT_EQ(any.limits()[1], "8") << "in its turn";
}

TEST(CostLimit, counts_what_is_not_launched_with_the_gpus_that_it_will_have) {
  RentedByEight rented("60.00");
  for (int i = 0; i < 2; ++i)
    rented.with_machine("spot", [](auto& claim) {
      claim.conditions = {{"Launched", "Unknown", "", ""}};
      claim.capacity = {};
      for (const char* label : {"node.kubernetes.io/instance-type", "karpenter.sh/capacity-type"})
        claim.meta.labels.erase(label);
    });
  EXPECT_LT(std::stoi(rented.limits()[0]), 8) << "of 60.00 the two take 44.03: Karpenter counts none of them yet";
}

TEST(CostLimit, counts_by_the_table_of_the_cluster_where_the_pool_says_no_price) {
  const std::vector<api::InstancePrice> table{{"p5.48xlarge", CapacityType::Spot, "", "25.00"}};
  RentedByEight rented("49.00");
  EXPECT_EQ(rented.limits()[0], "16") << "22.016 each by the catalogue";
  rented.seen_.price_table = table;
  EXPECT_EQ(rented.limits()[0], "8");
  rented.with_machine(
      "spot", [](auto&) {}, "p5.48xlarge");
  EXPECT_EQ(rented.limits()[0], "1") << "the machine is paid for, and offers one GPU so far";
}

TEST(CostLimit, says_so_where_the_money_pays_for_no_machine) {
  EXPECT_THAT(RentedByEight("20.00").reached(), ::testing::Not(IsEmpty()));
}

TEST(CostLimit, is_lowered_before_another_capacity_is_there_at_all) {
  Rented rented("2.00", {{.type = CapacityType::OnDemand}, {.type = CapacityType::Spot}});
  auto before = desired_node_pools(
                    *MakePool("t4").with([](auto& pool) { pool.spec.capacity = {{.type = CapacityType::Spot}}; }).get())
                    .value();
  before[0].spec.limits = {{"nvidia.com/gpu", "5"}};
  before[0].meta.owner_references = rented.seen_.node_pools.at("t4-spot")->meta.owner_references;
  rented.seen_.node_pools = {{"t4-spot", std::make_shared<const api::NodePool>(before[0])}};
  for (const Action& action : decide(rented.seen_).actions)
    if (const auto* made = std::get_if<CreateNodePool>(&action))
      ADD_FAILURE() << made->wanted.meta.name << " is made with " << made->wanted.spec.limits.at("nvidia.com/gpu")
                    << " while t4-spot may have 5";
}

TEST(CostLimit, leaves_alone_what_is_paid_for_already) {
  Rented rented("2.00", {{.type = CapacityType::Reserved, .max_gpus = 8}, {.type = CapacityType::OnDemand}});
  auto pool = std::make_shared<api::GpuPool>(*rented.seen_.pool);
  pool->spec.prices.push_back({"g4dn.xlarge", CapacityType::Reserved, "", "0"});
  rented.seen_.pool = pool;
  EXPECT_EQ(cost_limit_misfit(pool->spec).value_or(""), "");
  EXPECT_THAT(rented.limits(), ElementsAre("8", "2"));
}

// g4dn.16xlarge is in no table; Karpenter would take it for a pod of 60 processors.
TEST(CostLimit, lets_nothing_be_rented_whose_price_nobody_knows) {
  Rented rented("10.00");
  auto pool = std::make_shared<api::GpuPool>(*rented.seen_.pool);
  pool->spec.instance_types = {};
  pool->spec.gpu.models = {"t4"};
  const auto types = [&] {
    std::vector<std::string> found;
    const auto node_pools = desired_node_pools(*pool).value();
    for (const api::NodeRequirement& each : node_pools.front().spec.requirements)
      if (each.key == "node.kubernetes.io/instance-type") found = each.values;
    return found;
  };
  EXPECT_THAT(types(), AllOf(Contains("g4dn.xlarge"), Contains("g4dn.12xlarge"), Not(Contains("g4dn.16xlarge"))));
  pool->spec.prices.push_back({"g4dn.16xlarge", CapacityType::Spot, "", "1.50"});
  EXPECT_THAT(types(), Contains("g4dn.16xlarge"));
  pool->spec.instance_types = {"g4dn.xlarge", "g4dn.metal"};
  EXPECT_THAT(types(), ElementsAre("g4dn.xlarge"));
  pool->spec.max_cost_per_hour = {};
  EXPECT_THAT(types(), ElementsAre("g4dn.xlarge", "g4dn.metal")) << "without a limit the price is nobody's business";
}

}  // namespace
}  // namespace reprise::controllers::gpupool
