#include "controllers/gpupool/fallback/fallback_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/machines/rolling.h"
#include "controllers/gpupool/testing/makeshift_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using api::CapacityType;
using controllers::testing::kStart;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Makeshift;
using testing::pod_on;
using testing::training_job;

TEST(FallbackNodes, go_when_spot_may_be_back_and_the_job_there_has_just_saved) {
  Makeshift pool;
  pool.after(minutes(29));
  EXPECT_THAT(pool.given_back(), IsEmpty());
  EXPECT_EQ(pool.plan_.wake_at, kStart + minutes(30)) << "nothing else wakes the pool";
  pool.after(minutes(1));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
  ASSERT_EQ(Makeshift::times(kReturningToPreferredCapacity, pool.announced_), 1);
  EXPECT_THAT(pool.announced_.back().note, HasSubstr("it costs 0.526 per hour, and as Spot it would cost 0.2104"));
  const api::RolledNode& record = pool.seen_.pool->status.drift.rolled.back();
  EXPECT_EQ(record.reason, api::kPreferredCapacity);
  EXPECT_EQ(record.fallback_since, kStart);
  EXPECT_EQ(pool.state(), "True/NoDriftSeen");
}

TEST(FallbackNodes, stay_until_the_job_has_saved) {
  Makeshift pool;
  pool.after(hours(2));
  EXPECT_THAT(pool.look(), IsEmpty()) << "two hours ago is not just now";
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
}

TEST(FallbackNodes, go_though_a_machine_of_spot_has_failed_long_ago) {
  Makeshift pool;
  pool.change_pool([](api::GpuPool& each) {
    each.status.startup.back_off = {{.node_pool = "t4-spot",
                                     .tries = 1,
                                     .machines = 1,
                                     .last_time = kStart,
                                     .next_time = kStart + minutes(1),
                                     .spent = "0.01",
                                     .reason = "NodeNotFound",
                                     .message = "NodeClaim x",
                                     .generation = each.meta.generation,
                                     .retry = ""}};
  });
  pool.after(hours(6));
  EXPECT_THAT(pool.given_back(), IsEmpty()) << "another might not come";
  pool.serve();
  pool.after(minutes(1));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
}

TEST(FallbackNodes, stay_with_the_policy_that_is_the_default) {
  EXPECT_EQ(api::GpuPoolSpec().fallback_policy, api::FallbackPolicy::Keep);
  Makeshift pool(api::FallbackPolicy::Keep);
  pool.after(hours(12));
  EXPECT_THAT(pool.given_back(), IsEmpty());
}

TEST(FallbackNodes, go_at_once_where_a_spot_machine_has_come_since) {
  Makeshift pool;
  pool.rent("spot", kStart + minutes(3));
  pool.after(minutes(5));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
}

TEST(FallbackNodes, do_not_follow_a_spot_machine_that_was_there_before_or_never_came) {
  Makeshift pool;
  pool.rent("spot", kStart - hours(1));
  pool.rent("spot", kStart + minutes(3));
  pool.change_claim(2, [](auto& claim) { claim.conditions.clear(); });
  pool.after(minutes(5));
  EXPECT_THAT(pool.given_back(), IsEmpty());
}

TEST(FallbackNodes, are_tried_the_more_seldom_the_longer_spot_stays_away) {
  Makeshift pool;
  std::vector<std::int64_t> tries;
  for (int minute = 0; minute < 5 * 24 * 60; minute += 10) {
    if (!pool.given_back().empty()) {
      tries.push_back((pool.seen_.now - kStart) / hours(1));
      pool.fails();
    }
    pool.seen_.now = kStart + minutes(minute);
  }
  ASSERT_GT(tries.size(), 6U);
  EXPECT_LT(tries.size(), 40U) << "in 120 hours";
  EXPECT_GE(tries.back() - tries[tries.size() - 2], 6) << "after days";
}

TEST(FallbackNodes, begin_anew_where_spot_has_been_there_in_between) {
  Makeshift pool;
  pool.change_pool([](api::GpuPool& p) {
    p.status.drift.rolled = {
        {"gone", "gone", kStart - minutes(5), std::string(api::kPreferredCapacity), kStart - hours(100)}};
  });
  pool.after(hours(2));
  EXPECT_THAT(pool.given_back(), IsEmpty()) << "away for a hundred hours";
  pool.rent("spot", kStart - minutes(2));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
}

TEST(FallbackNodes, stay_where_nobody_or_somebody_else_uses_them) {
  Makeshift unused;
  unused.seen_.pods.clear();
  unused.after(hours(3));
  EXPECT_THAT(unused.given_back(), IsEmpty()) << "Karpenter takes it when it has been idle";
  Makeshift with_static_pod;
  with_static_pod.runs_pod(pod_on("node-0", "kube-proxy-node-0", "Node", "uid-node"));
  with_static_pod.after(hours(3));
  EXPECT_THAT(with_static_pod.given_back(), ElementsAre("claim-0"));
  Makeshift shared;
  shared.runs_pod(pod_on("node-0", "server-0", "ReplicaSet", "uid-server"));
  shared.after(hours(3));
  EXPECT_THAT(shared.given_back(), IsEmpty());
}

TEST(FallbackNodes, stay_with_a_job_that_has_a_deadline_or_asks_for_what_it_has) {
  const auto with = [](auto&& change) {
    Makeshift pool;
    pool.change_job("fit", [&](api::ResumableJob& job) { change(job.spec.placement.emplace()); });
    pool.after(hours(3));
    return pool.given_back();
  };
  EXPECT_THAT(with([](auto&) {}), ElementsAre("claim-0"));
  EXPECT_THAT(with([](auto& placement) { placement.complete_by = kStart + hours(500); }), IsEmpty());
  EXPECT_THAT(with([](auto& placement) { placement.capacity = api::PlacementCapacity::OnDemandOnly; }), IsEmpty());
}

TEST(FallbackNodes, stay_with_a_job_whose_template_or_queue_asks_for_a_capacity_type) {
  for (const char* asks : {R"({"spec":{"nodeSelector":{"karpenter.sh/capacity-type":"on-demand"}}})",
                           R"({"spec":{"affinity":{"nodeAffinity":{"x":[{"key":"karpenter.sh/nodepool"}]}}}})"}) {
    Makeshift pool;
    pool.change_job("fit", [&](api::ResumableJob& job) { job.spec.pod_template.json = kube::PackedText(asks); });
    pool.after(hours(3));
    EXPECT_THAT(pool.given_back(), IsEmpty()) << asks;
  }
  Makeshift queued;
  queued.change_job("fit", [](api::ResumableJob& job) { job.meta.labels["kueue.x-k8s.io/queue-name"] = "gpus"; });
  queued.after(hours(3));
  EXPECT_THAT(queued.given_back(), IsEmpty());
}

TEST(FallbackNodes, do_not_follow_a_smaller_spot_machine_or_one_in_another_zone) {
  Makeshift small;
  small.rent("spot", kStart + minutes(3));
  small.change_node(0, [](auto& node) { node.capacity = node.allocatable = {{"nvidia.com/gpu", "4"}}; });
  small.change_claim(0, [](auto& claim) { claim.capacity = {{"nvidia.com/gpu", "4"}}; });
  small.after(minutes(5));
  EXPECT_THAT(small.given_back(), IsEmpty());
  Makeshift elsewhere;
  elsewhere.rent("spot", kStart + minutes(3));
  elsewhere.change_node(1, [](auto& node) { node.meta.labels["topology.kubernetes.io/zone"] = "another"; });
  elsewhere.after(minutes(5));
  EXPECT_THAT(elsewhere.given_back(), IsEmpty());
}

TEST(FallbackNodes, go_back_to_what_is_paid_for_already) {
  Makeshift pool;
  pool.change_pool([](api::GpuPool& p) { p.spec.prices = {{"g4dn.xlarge", CapacityType::Spot, "", "0"}}; });
  pool.serve();
  pool.after(hours(1));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
}

TEST(FallbackNodes, stay_where_the_preferred_type_has_no_room_or_saves_nothing) {
  Makeshift full;
  full.change_pool([](api::GpuPool& p) { p.spec.capacity[0].max_gpus = 1; });
  full.serve();
  full.rent("spot", kStart - hours(1));
  full.after(hours(3));
  EXPECT_THAT(full.given_back(), IsEmpty());
  full.change_pool([](api::GpuPool& p) { p.spec.capacity[0].max_gpus = 2; });
  full.serve();
  EXPECT_THAT(full.given_back(), ElementsAre("claim-0"));
  Makeshift dear;
  dear.change_pool([](api::GpuPool& p) { p.spec.prices = {{"g4dn.xlarge", CapacityType::Spot, "", "0.52"}}; });
  dear.serve();
  dear.after(hours(300));
  EXPECT_THAT(dear.given_back(), IsEmpty());
}

TEST(FallbackNodes, of_the_first_type_of_capacity_are_none) {
  Makeshift pool;
  pool.change_pool([](api::GpuPool& p) { std::swap(p.spec.capacity[0], p.spec.capacity[1]); });
  EXPECT_FALSE(has_fallback_nodes(*pool.seen_.pool, pool.seen_.node_claims));
  pool.after(hours(3));
  EXPECT_THAT(pool.given_back(), IsEmpty());
}

// The job is on two such nodes.
Makeshift gang_an_hour_later() {
  Makeshift pool;
  pool.rent("on-demand", kStart);
  pool.runs(training_job("fit", kStart), "node-1");
  pool.after(hours(1));
  return pool;
}

// "fit" on the first node, "other" on both, an hour later.
Makeshift two_that_share_a_job() {
  Makeshift pool;
  pool.rent("on-demand", kStart);
  pool.runs(training_job("other", kStart)).runs(training_job("other", kStart), "node-1");
  pool.after(hours(1));
  return pool;
}

TEST(FallbackNodes, of_a_gang_go_together_when_the_last_of_them_is_worth_a_try) {
  Makeshift pool;
  pool.rent("on-demand", kStart + minutes(3));
  pool.runs(training_job("fit", kStart), "node-1");
  pool.after(minutes(31));
  EXPECT_THAT(pool.given_back(), IsEmpty());
  pool.after(minutes(2));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0", "claim-1"));
  EXPECT_EQ(Makeshift::times(kReturningToPreferredCapacity, pool.announced_), 2);
  for (const api::RolledNode& record : pool.seen_.pool->status.drift.rolled) EXPECT_EQ(record.fallback_since, kStart);
}

TEST(FallbackNodes, of_a_gang_wait_until_the_hour_allows_all_of_them) {
  Makeshift pool = gang_an_hour_later();
  pool.change_pool([&](api::GpuPool& p) {
    p.status.drift.rolled.assign(kMostRolledPerHour - 1, {"gone", "gone", pool.seen_.now - minutes(10)});
  });
  EXPECT_THAT(pool.given_back(), IsEmpty());
  pool.after(minutes(50));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0", "claim-1"));
}

TEST(FallbackNodes, of_jobs_that_share_one_go_when_all_of_these_have_saved) {
  Makeshift pool = two_that_share_a_job();
  EXPECT_THAT(pool.given_back(), IsEmpty());
  pool.change_job("other", [&](auto& job) { job.status.progress->checkpoint->time = pool.seen_.now; });
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0", "claim-1"));
}

TEST(FallbackNodes, of_a_gang_stay_together_until_the_last_of_them_may_go) {
  Makeshift pool = two_that_share_a_job();
  pool.change_job("other", [&](auto& job) { job.status.progress->checkpoint->time = pool.seen_.now; });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(pool.look(), IsEmpty());
    EXPECT_THAT(pool.seen_.pool->status.drift.rolled, IsEmpty()) << "the job that shares node-0 has not saved";
    pool.after(std::chrono::seconds(1));
  }
}

TEST(FallbackNodes, of_a_gang_whose_deletions_were_rejected_are_tried_again_together) {
  Makeshift pool = gang_an_hour_later();
  pool.seen_.refused_deletions = {{"claim-0", true}, {"claim-1", false}};
  EXPECT_THAT(pool.given_back(), IsEmpty());
  EXPECT_THAT(pool.plan_.still_refused, ElementsAre("claim-0", "claim-1"));
  pool.seen_.refused_deletions = {{"claim-0", true}, {"claim-1", true}};
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0", "claim-1"));
}

TEST(FallbackNodes, take_the_place_of_their_own_records_within_the_hour) {
  Makeshift pool = gang_an_hour_later();
  pool.change_pool([&](api::GpuPool& p) {
    p.status.drift.rolled.assign(kMostRolledPerHour - 2, {"gone", "gone", pool.seen_.now - minutes(10)});
    for (const char* name : {"claim-0", "claim-1"})
      p.status.drift.rolled.push_back({name, "node", pool.seen_.now - std::chrono::seconds(70)});
  });
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0", "claim-1"));
}

TEST(FallbackNodes, go_as_many_as_the_preferred_type_has_room_for) {
  Makeshift pool;
  pool.change_pool([](api::GpuPool& p) { p.spec.capacity[0].max_gpus = 1; });
  pool.serve();
  pool.rent("on-demand", kStart);
  pool.runs(training_job("fit", kStart), "node-1");
  pool.after(hours(1));
  EXPECT_THAT(pool.given_back(), ElementsAre("claim-0"));
}

// All nodes of a job are paid for while it restarts.
TEST(FallbackNodes, of_a_gang_that_is_on_spot_for_the_most_part_are_worth_fewer_tries) {
  const auto given_back_after = [](int spot_nodes, std::chrono::seconds time, bool shared = false) {
    Makeshift pool;
    for (int i = 1; i <= spot_nodes; ++i) {
      const std::string node = "node-" + std::to_string(i);
      pool.rent("spot", kStart - hours(1));
      pool.runs(training_job("fit", kStart), node);
      if (shared) pool.runs_pod(pod_on(node, "server", "ReplicaSet", "uid-server"));
    }
    pool.after(time);
    return pool.given_back();
  };
  EXPECT_THAT(given_back_after(1, minutes(30)), ElementsAre("claim-0"));
  EXPECT_THAT(given_back_after(7, minutes(30)), IsEmpty());
  EXPECT_THAT(given_back_after(7, hours(6)), ElementsAre("claim-0"));
  EXPECT_THAT(given_back_after(60, hours(24 * 30)), IsEmpty()) << "sixty nodes would wait for one to be cheaper";
  EXPECT_THAT(given_back_after(7, minutes(30), true), IsEmpty()) << "whoever else is there";
}

TEST(FallbackNodes, wait_for_nodes_that_have_drifted) {
  Makeshift pool;
  pool.rent("spot", kStart - hours(1));
  pool.change_claim(1, [](auto& claim) { claim.conditions.push_back({"Drifted", "True", "NodePoolDrifted", ""}); });
  pool.after(hours(3));
  EXPECT_THAT(pool.given_back(), IsEmpty());
  EXPECT_EQ(pool.state(), "False/RollingNode");
}

}  // namespace
}  // namespace reprise::controllers::gpupool
