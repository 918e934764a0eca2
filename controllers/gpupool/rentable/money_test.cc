// spec.maxCostPerHour in the arithmetic: by the prices of the catalogue, of the cluster and of the pool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "controllers/gpupool/rentable/room.h"

namespace reprise::controllers::rentable {
namespace {

using prices::PriceTable;
using ::testing::HasSubstr;

// One GPU each: 0.526 per hour on demand, by the usual share 0.2104 as spot.
api::GpuPoolSpec g4dn(std::string max_cost, std::vector<std::string> types = {"g4dn.xlarge"}) {
  api::GpuPoolSpec spec;
  spec.gpu.models = {"t4"};
  spec.instance_types = std::move(types);
  spec.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  spec.capacity = {{.type = api::CapacityType::OnDemand, .max_gpus = {}, .notice_seconds = {}}};
  spec.max_cost_per_hour = std::move(max_cost);
  return spec;
}

std::string of_pool(const api::GpuPoolSpec& spec, const Prices& known = PriceTable()) {
  const auto misfit = pool_misfit(spec, known);
  return misfit ? misfit->misfit.text() : "";
}

std::string of_gang(const api::GpuPoolSpec& spec, std::int64_t ranks, const Prices& known = PriceTable()) {
  const auto misfit = gang_misfit("t4", spec, Gang{.ranks = ranks}, known);
  return misfit ? misfit->text() : "";
}

TEST(Money, that_pays_for_no_machine_is_named_with_what_would_do) {
  const auto misfit = pool_misfit(g4dn("0.50"), PriceTable());
  ASSERT_TRUE(misfit);
  EXPECT_EQ(misfit->lack, Lack::Cost);
  EXPECT_EQ(misfit->misfit.text(),
            "spec.maxCostPerHour: found 0.50, and a machine with 1 GPU may cost up to 0.526 by estimate (OnDemand, "
            "g4dn.xlarge): nothing is rented; raise it to 0.53 or more, or let the pool have cheaper machines");
  EXPECT_EQ(of_pool(g4dn("0.53")), "");
  EXPECT_THAT(of_pool(g4dn("3.90", {"g4dn.12xlarge"})), HasSubstr("a machine with 4 GPUs may cost up to 3.912"));
  EXPECT_EQ(of_pool(g4dn("3.92", {"g4dn.12xlarge"})), "");
}

TEST(Money, is_judged_by_the_cheapest_of_the_capacity_types) {
  api::GpuPoolSpec spec = g4dn("0.30");
  EXPECT_THAT(of_pool(spec), HasSubstr("nothing is rented"));
  spec.capacity.push_back({.type = api::CapacityType::Spot, .max_gpus = {}, .notice_seconds = {}});
  EXPECT_EQ(of_pool(spec), "") << "spot machines are rented";
  EXPECT_THAT(of_pool(g4dn("0.20")), HasSubstr("may cost up to 0.526 by estimate (OnDemand, g4dn.xlarge)"));
}

TEST(Money, is_not_looked_at_where_the_prices_of_the_cluster_are_not_known) {
  EXPECT_EQ(of_pool(g4dn("0.01"), std::nullopt), "");
  EXPECT_EQ(of_gang(g4dn("0.60"), 9, std::nullopt), "");
}

TEST(Money, of_0_stops_a_pool_on_purpose) {
  EXPECT_EQ(of_pool(g4dn("0")), "");
  EXPECT_EQ(of_gang(g4dn("0.00"), 1), "");
}

TEST(Money, that_never_pays_for_a_gang_at_once_is_said_with_how_many_ranks_it_pays_for) {
  EXPECT_EQ(
      of_gang(g4dn("2.00"), 4),
      "spec.parallelism: found 4, and spec.maxCostPerHour of GpuPool t4, 2.00, pays for 3 at once at the most, by "
      "estimate: the gang never starts; raise it to 2.11 or more, or write 3");
  EXPECT_EQ(of_gang(g4dn("2.00"), 3), "");
  EXPECT_EQ(of_gang(g4dn("2.11"), 4), "");
}

TEST(Money, counts_the_last_machine_at_the_price_that_is_kept_for_it_and_the_others_at_their_own) {
  // 1.204 for one GPU of g4dn.4xlarge, the dearest: three of g4dn.xlarge and that one.
  const auto spec = [](std::string limit) { return g4dn(std::move(limit), {"g4dn.xlarge", "g4dn.4xlarge"}); };
  EXPECT_THAT(of_gang(spec("2.78"), 4), HasSubstr("pays for 3 at once"));
  EXPECT_EQ(of_gang(spec("2.79"), 4), "") << "3 times 0.526 and 1.204";
}

TEST(Money, is_counted_by_the_tables_of_the_pool_and_of_the_cluster) {
  const std::vector<api::InstancePrice> cluster = {
      {.instance_type = "g4dn.xlarge", .capacity_type = api::CapacityType::OnDemand, .zone = {}, .per_hour = "0.25"}};
  EXPECT_THAT(of_gang(g4dn("1.00"), 4), HasSubstr("never starts"));
  EXPECT_EQ(of_gang(g4dn("1.00"), 4, PriceTable(cluster)), "");
  api::GpuPoolSpec spec = g4dn("1.00");
  spec.prices = {
      {.instance_type = "g4dn.xlarge", .capacity_type = api::CapacityType::OnDemand, .zone = "a", .per_hour = "0.90"},
      {.instance_type = "g4dn.xlarge", .capacity_type = api::CapacityType::OnDemand, .zone = "b", .per_hour = "0.02"}};
  EXPECT_EQ(of_gang(spec, 4, PriceTable(cluster)), "") << "three in the cheapest zone, 0.90 for the last one";
  EXPECT_THAT(of_gang(spec, 7, PriceTable(cluster)), HasSubstr("pays for 6 at once"));
}

TEST(Money, leaves_machines_out_whose_price_nobody_knows_since_no_pool_with_a_limit_rents_them) {
  EXPECT_THAT(of_gang(g4dn("0.60", {"g4dn.xlarge", "g4dn.metal"}), 9), HasSubstr("pays for 1 at once"));
  EXPECT_THAT(of_gang(g4dn("2.00", {}), 4), HasSubstr("pays for 2 at once")) << "t4 of any machine";
  api::GpuPoolSpec any = g4dn("2.00", {});
  any.gpu.models = {};
  any.requirements = {{"karpenter.k8s.aws/instance-family", "In", {"g4dn"}, {}}};
  EXPECT_THAT(of_gang(any, 9), HasSubstr("pays for 2 at once")) << "of any model";
}

TEST(Money, says_nothing_of_machines_that_no_table_knows) {
  EXPECT_EQ(of_gang(g4dn("0.60", {"g4dn.xlarge", "g99.xlarge"}), 9), "");
  api::GpuPoolSpec newer = g4dn("0.60", {"g4dn.xlarge", "g99.xlarge"});
  newer.prices = {
      {.instance_type = "g99.xlarge", .capacity_type = api::CapacityType::OnDemand, .zone = {}, .per_hour = "0.01"}};
  EXPECT_EQ(of_gang(newer, 9), "");
  newer.instance_types = {};
  newer.max_cost_per_hour = "2.00";
  EXPECT_EQ(of_gang(newer, 9), "") << "it may have the model";
  api::GpuPoolSpec other_cloud = g4dn("0.60", {});
  other_cloud.node_class_ref->group = "karpenter.azure.com";
  EXPECT_EQ(of_pool(other_cloud), "");
  EXPECT_EQ(of_gang(other_cloud, 9), "");
}

TEST(Money, counts_a_machine_with_a_part_of_a_gpu_as_one_with_a_gpu) {
  api::GpuPoolSpec spec = g4dn("1.10", {"g6f.large", "g6.xlarge"});
  spec.gpu.models = {"l4"};
  spec.prices = {
      {.instance_type = "g6f.large", .capacity_type = api::CapacityType::OnDemand, .zone = {}, .per_hour = "0.20"}};
  EXPECT_EQ(of_gang(spec, 2), "") << "0.20, and 0.8048 is left for the other one";
  EXPECT_THAT(of_gang(spec, 3), HasSubstr("pays for 2 at once"));
}

TEST(Money, takes_machines_that_are_there_for_paid) {
  const auto with = [](std::int64_t there) {
    const Gang gang{.ranks = 4, .there = {{api::CapacityType::OnDemand, {{1, there}}}}};
    return gang_misfit("t4", g4dn("1.00"), gang, PriceTable());
  };
  EXPECT_FALSE(with(3)) << "one more is paid for, whatever these cost";
  ASSERT_TRUE(with(1)) << "three more are not";
  EXPECT_THAT(with(1)->text(), HasSubstr("raise it to 2.11 or more, or write 1"));
}

TEST(Money, takes_no_machines_for_paid_that_the_gang_may_not_run_on) {
  api::GpuPoolSpec spec = g4dn("1.00");
  spec.capacity.push_back({.type = api::CapacityType::Spot, .max_gpus = {}, .notice_seconds = {}});
  Gang gang{.ranks = 4, .only = api::CapacityType::OnDemand};
  gang.there = {{api::CapacityType::Spot, {{1, 3}}}};
  EXPECT_TRUE(gang_misfit("t4", spec, gang, PriceTable()));
}

TEST(Money, pays_for_no_more_of_a_cheap_capacity_than_the_pool_may_have) {
  api::GpuPoolSpec spec = g4dn("2.00");
  spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = 4, .notice_seconds = {}},
                   {.type = api::CapacityType::OnDemand, .max_gpus = {}, .notice_seconds = {}}};
  EXPECT_THAT(of_gang(spec, 8), HasSubstr("raise it to 2.95 or more")) << "4 times 0.2104 and 4 times 0.526";
  spec.max_cost_per_hour = "2.95";
  EXPECT_EQ(of_gang(spec, 8), "");
  spec.capacity.front().max_gpus = 8;
  spec.max_cost_per_hour = "1.70";
  EXPECT_EQ(of_gang(spec, 8), "");
}

TEST(Money, is_not_judged_by_capacity_of_which_no_machine_is_within_the_limit) {
  api::GpuPoolSpec spec = g4dn("4.00", {"p4d.24xlarge"});
  spec.gpu.models = {"a100"};
  spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = 4, .notice_seconds = {}},
                   {.type = api::CapacityType::OnDemand, .max_gpus = {}, .notice_seconds = {}}};
  spec.max_cost_per_hour = "10.00";  // 8.7832 as spot
  EXPECT_THAT(of_pool(spec), HasSubstr("a machine with 8 GPUs may cost up to 21.958"));
  spec.capacity.front().max_gpus = 8;
  EXPECT_EQ(of_pool(spec), "");
}

TEST(Money, is_judged_by_the_smallest_machine_that_all_fields_leave) {
  api::GpuPoolSpec spec = g4dn("4.00", {});
  spec.requirements = {{"node.kubernetes.io/instance-type", "In", {"g4dn.12xlarge"}, {}}};
  spec.max_cost_per_hour = "3.90";
  EXPECT_THAT(of_pool(spec), HasSubstr("a machine with 4 GPUs may cost up to 3.912"));
  spec.max_cost_per_hour = "3.92";
  EXPECT_EQ(of_pool(spec), "") << "1.204 of g4dn.4xlarge is no price of this pool";
  EXPECT_THAT(of_pool(g4dn("2.00", {"g4dn.8xlarge", "g4dn.12xlarge"})),
              HasSubstr("a machine with 4 GPUs may cost up to 3.912"))
      << "the other one has no price";
}

TEST(Money, that_is_raised_never_pays_for_fewer_ranks) {
  EXPECT_TRUE(rc::check([] {
    const auto cents = *rc::gen::inRange(1, 2000);
    const auto more = *rc::gen::inRange(0, 500);
    const auto ranks = *rc::gen::inRange(1, 40);
    const auto limit = [](int amount) {
      return std::to_string(amount / 100) + "." + std::to_string(amount % 100 / 10) + std::to_string(amount % 10);
    };
    if (of_gang(g4dn(limit(cents)), ranks).empty()) RC_ASSERT(of_gang(g4dn(limit(cents + more)), ranks).empty());
  }));
}

}  // namespace
}  // namespace reprise::controllers::rentable
