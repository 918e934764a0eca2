// A pool's cost limit, as limits of its NodePools.
#include "controllers/gpupool/limits/cost_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/testing/rented_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using api::CapacityType;
using controllers::testing::kStart;
using controllers::testing::MakeNode;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::keeps_a_gpu_ready;
using testing::Rented;

TEST(CostLimit, is_none_where_the_pool_says_none) {
  EXPECT_THAT(Rented("").with_machines(3, "spot").limits(), ElementsAre("-", "-"));
}

TEST(CostLimit, lets_the_preferred_capacity_have_what_the_money_pays_for) {
  EXPECT_THAT(Rented("2.00").limits(), ElementsAre("5", "0"));
  EXPECT_THAT(Rented("2.39").limits(), ElementsAre("5", "0")) << "0.39 is no GPU";
}

TEST(CostLimit, counts_what_is_there) {
  EXPECT_THAT(Rented("2.00").with_machines(3, "spot").limits(), ElementsAre("5", "0"));
  EXPECT_THAT(Rented("2.00").with_machines(1, "on-demand").limits(), ElementsAre("2", "1"));
}

TEST(CostLimit, rises_where_machines_turn_out_cheaper_than_they_might_have_been) {
  EXPECT_THAT(Rented("2.00").with_machines(5, "spot", "g4dn.2xlarge").limits(), ElementsAre("8", "0"))
      << "1.50 is left";
}

TEST(CostLimit, takes_a_machine_whose_price_nobody_knows_for_the_dearest) {
  EXPECT_THAT(Rented("2.00").with_machines(2, "spot", "x9.huge").limits(), ElementsAre("5", "0"));
}

TEST(CostLimit, counts_nothing_for_what_is_paid_for_already) {
  Rented rented("2.00");
  auto pool = std::make_shared<api::GpuPool>(*rented.seen_.pool);
  pool->spec.prices.insert(pool->spec.prices.begin(), {"g4dn.xlarge", CapacityType::Spot, "a", "0"});
  rented.seen_.pool = pool;
  const auto in_zone_a = [](api::NodeClaim& claim) { claim.meta.labels["topology.kubernetes.io/zone"] = "a"; };
  rented.with_machine("spot", in_zone_a).with_machine("spot", in_zone_a);
  EXPECT_THAT(rented.limits(), ElementsAre("7", "0"));
}

TEST(CostLimit, does_not_count_what_goes) {
  Rented rented("2.00");
  rented.with_machine("on-demand", [](auto& claim) { claim.meta.deletion_timestamp = kStart; });
  EXPECT_THAT(rented.limits(), ElementsAre("5", "0"));
}

TEST(CostLimit, counts_what_is_asked_for_and_not_launched_at_the_dearest_price) {
  Rented rented("2.00");
  for (int i = 0; i < 2; ++i) {
    rented.with_machine("spot", [](auto& claim) {
      claim.conditions = {{"Launched", "Unknown", "", ""}};
      for (const char* label : {"node.kubernetes.io/instance-type", "karpenter.sh/capacity-type"})
        claim.meta.labels.erase(label);
    });
  }
  EXPECT_THAT(rented.limits(), ElementsAre("5", "0")) << "as what its NodePool is of";
}

TEST(CostLimit, leaves_alone_what_costs_too_much_already) {
  EXPECT_THAT(Rented("2.00").with_machines(4, "on-demand").limits(), ElementsAre("0", "4"));
}

TEST(CostLimit, is_below_the_gpus_that_a_capacity_may_have) {
  EXPECT_THAT(Rented("2.00", {{.type = CapacityType::Spot, .max_gpus = 2}, {.type = CapacityType::OnDemand}}).limits(),
              ElementsAre("2", "1"))
      << "what spot may not use is the next one's";
}

TEST(CostLimit, gives_to_the_capacity_that_is_asked_for_by_name_first) {
  EXPECT_THAT(Rented("2.00").with_waiting("on-demand").limits(), ElementsAre("2", "1"));
  EXPECT_THAT(Rented("2.00").with_waiting("on-demand", "3").limits(), ElementsAre("5", "0")) << "no part of a pod runs";
  EXPECT_THAT(Rented("2.00").with_waiting("reserved").limits(), ElementsAre("5", "0")) << "the pool has none";
}

TEST(CostLimit, gives_to_gpus_that_are_kept_ready_what_no_other_pod_asks_for) {
  const auto later = [](kube::Pod& pod) { pod.meta.creation_timestamp = kStart + seconds(1); };
  EXPECT_THAT(Rented("1.00").with_waiting("", "1", keeps_a_gpu_ready).with_waiting("on-demand", "1", later).limits(),
              ElementsAre("0", "1"));
}

TEST(CostLimit, gives_to_gpus_that_are_kept_ready_nothing_that_a_pod_asks_for_whose_turn_is_over) {
  Rented rented("1.00");
  rented.with_waiting("spot", "1", keeps_a_gpu_ready);
  rented.with_waiting("on-demand");
  rented.seen_.unanswered["uid-p1"] = minutes(7);  // this pod yields
  EXPECT_THAT(rented.limits(), ElementsAre("0", "1"));
}

TEST(CostLimit, passes_over_pods_that_wait_for_something_else) {
  const auto gated = [](auto& pod) { pod.conditions = {{"PodScheduled", "False", "SchedulingGated", ""}}; };
  const auto going = [](auto& pod) { pod.meta.deletion_timestamp = kStart; };
  EXPECT_THAT(Rented("2.00").with_waiting("on-demand", "1", gated).with_waiting("on-demand", "1", going).limits(),
              ElementsAre("5", "0"));
}

TEST(CostLimit, goes_to_the_next_capacity_while_the_preferred_one_answers_nobody) {
  const auto after = [](seconds time) { return Rented("2.00").with_waiting("").unanswered_for(time).limits(); };
  EXPECT_THAT(after(seconds(59)), ElementsAre("5", "0"));
  EXPECT_THAT(after(seconds(60)), ElementsAre("2", "1"));
  EXPECT_THAT(after(minutes(3)), ElementsAre("5", "0")) << "the next turn lasts twice as long";
}

TEST(CostLimit, leaves_the_preferred_capacity_to_others_while_one_pod_can_be_answered_nowhere) {
  Rented rented("2.00");
  rented.with_waiting("").unanswered_for(seconds(90)).with_waiting("", "2");
  EXPECT_THAT(rented.limits(), ElementsAre("2", "1"));
}

TEST(CostLimit, never_pays_more_than_it_says_whatever_waits) {
  for (const int spot : {0, 1, 3, 7}) {
    for (const int on_demand : {0, 1, 2}) {
      for (const char* asked : {"", "spot", "on-demand"}) {
        for (const int turn : {0, 90, 400}) {
          Rented rented("5.00");
          rented.with_machines(spot, "spot").with_machines(on_demand, "on-demand");
          rented.with_waiting(asked, "2").with_waiting("on-demand").unanswered_for(seconds(turn));
          const auto limits = rented.limits();
          EXPECT_LE(std::stoi(limits[0]) * 40 + std::stoi(limits[1]) * 100, 500)
              << spot << " " << on_demand << " " << asked << " " << turn;
        }
      }
    }
  }
}

TEST(CostLimit, says_that_it_is_reached_and_what_one_more_may_cost) {
  EXPECT_THAT(Rented("2.00").with_machines(4, "spot").reached(), IsEmpty());
  EXPECT_EQ(Rented("2.00").with_machines(5, "spot").reached(),
            "the pool costs 2.00 per hour by estimate, of at most 2.00 (spec.maxCostPerHour); one more GPU may cost up "
            "to 0.40 (Spot, g4dn.xlarge)");
  EXPECT_THAT(Rented("9.00", {{.type = CapacityType::Spot, .max_gpus = 1}}).with_machines(1, "spot").reached(),
              IsEmpty())
      << "it is maxGpus that holds there";
  Rented full("2.00");
  const Plan plan = decide(full.with_machines(5, "spot").seen_);
  const kube::Condition* available = find_condition(plan.status.conditions, "CapacityAvailable");
  EXPECT_EQ(available->reason, "MaxCostReached");
}

TEST(CostLimit, counts_of_a_machine_that_is_initialised_what_its_node_has_as_karpenter_does) {
  Rented rented("2.00");
  rented.with_machine("spot", [](auto& claim) { claim.capacity = {{"nvidia.com/gpu", "1"}}; });
  rented.seen_.nodes = {MakeNode("m0")
                            .with([](auto& node) {
                              node.meta.labels["node.kubernetes.io/instance-type"] = "g4dn.xlarge";
                              node.capacity = {{"nvidia.com/gpu", "2"}};
                              node.allocatable = {{"nvidia.com/gpu", "1"}};  // one is called unhealthy
                            })
                            .get()};
  EXPECT_THAT(rented.limits(), ElementsAre("6", "0"));
}

TEST(CostLimit, counts_slices_by_the_resource_that_pods_ask_for) {
  Rented rented("2.00");
  auto pool = std::make_shared<api::GpuPool>(*rented.seen_.pool);
  pool->spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = 4};
  rented.seen_.pool = pool;
  rented.with_machine("spot", [](auto& claim) { claim.capacity = {{"nvidia.com/gpu.shared", "4"}}; });
  auto node_pools = desired_node_pools(*pool).value();
  static_cast<void>(limit_cost(rented.seen_, node_pools));
  EXPECT_EQ(node_pools[0].spec.limits.at("nvidia.com/gpu.shared"), "20");
}

TEST(CostLimit, is_lowered_for_one_capacity_before_another_may_have_more) {
  Rented rented("2.00");
  auto node_pools = desired_node_pools(*rented.seen_.pool).value();
  static_cast<void>(limit_cost(rented.seen_, node_pools));
  for (api::NodePool& each : node_pools)
    rented.seen_.node_pools[each.meta.name] = std::make_shared<const api::NodePool>(each);
  rented.with_waiting("on-demand");
  const auto updated = [&] {
    const Plan plan = decide(rented.seen_);
    std::vector<std::string> names;
    for (const Action& action : plan.actions) {
      if (const auto* update = std::get_if<UpdateNodePool>(&action)) {
        names.push_back(update->wanted.meta.name);
        rented.seen_.node_pools[names.back()] = std::make_shared<const api::NodePool>(update->wanted);
      }
    }
    return names;
  };
  EXPECT_THAT(updated(), ElementsAre("t4-spot"));
  EXPECT_THAT(updated(), ElementsAre("t4-on-demand"));
  EXPECT_THAT(updated(), IsEmpty());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
