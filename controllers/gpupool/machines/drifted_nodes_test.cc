// Nodes that have drifted: which one is given back, when, and when none is.
#include "controllers/gpupool/machines/drifted_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/testing/drifting_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::make_node_pool;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Drifting;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::training_job;

TEST(DriftedNodes, are_none_while_karpenter_calls_none_so) {
  Drifting pool(0);
  pool.add_node(false);
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.state(), "True/NoDriftSeen");
}

TEST(DriftedNodes, that_nobody_has_used_for_half_a_minute_go) {
  Drifting pool;
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
  EXPECT_EQ(pool.state(), "False/RollingNode");
  EXPECT_EQ(Drifting::times(kRollingDriftedNode, pool.announced_), 1);
  EXPECT_EQ(pool.seen_.pool->status.drift.drifted_nodes, 1);
}

TEST(DriftedNodes, stay_until_their_record_is_written) {
  Drifting pool;
  for (int i = 0; i < 2; ++i) {
    const Plan lost = decide(pool.seen_);
    EXPECT_TRUE(std::ranges::none_of(lost.actions,
                                     [](const Action& action) { return std::holds_alternative<RollNode>(action); }));
    EXPECT_EQ(lost.wake_at, kStart + seconds(30));
    pool.after(seconds(30));
    EXPECT_TRUE(std::ranges::none_of(decide(pool.seen_).actions,
                                     [](const Action& action) { return std::holds_alternative<RollNode>(action); }));
    pool.seen_.now = kStart;
  }
  EXPECT_THAT(pool.look(), ElementsAre());
  EXPECT_EQ(pool.seen_.pool->status.drift.rolled.front(), (api::RolledNode{"claim-0", "node-0", kStart}));
  pool.after(seconds(30));
  EXPECT_THAT(pool.look(), ElementsAre("claim-0"));
}

TEST(DriftedNodes, whose_record_is_old_are_decided_anew_and_counted_once) {
  Drifting pool;
  EXPECT_THAT(pool.look(), ElementsAre());
  pool.after(minutes(5));
  EXPECT_THAT(pool.look(), ElementsAre()) << "what was decided five minutes ago says nothing of now";
  pool.after(seconds(30));
  EXPECT_THAT(pool.look(), ElementsAre("claim-0"));
  EXPECT_EQ(pool.seen_.pool->status.drift.rolled.size(), 1U);
}

TEST(DriftedNodes, go_when_the_job_there_has_just_saved_and_not_before) {
  Drifting pool;
  auto job = training_job("fit", kStart);
  job.status.progress->checkpoint->time = kStart - minutes(30);
  pool.runs(job);
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.state(), "False/WaitingForCheckpoint");
  EXPECT_EQ(pool.message(), "node node-0: job vision/fit, which has not just saved");
  pool.change_job("fit", [&](auto& j) { j.status.progress->checkpoint->time = pool.seen_.now; });
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
}

TEST(DriftedNodes, of_a_job_that_never_reports_a_checkpoint_stay_and_it_is_said_once) {
  Drifting pool;
  auto job = training_job("fit", kStart);
  job.status.progress.reset();
  pool.runs(job);
  int said = 0;
  for (int i = 0; i < 48; ++i) {
    EXPECT_THAT(pool.look(), ElementsAre());
    said += static_cast<int>(Drifting::times(kWaitingForCheckpoint, pool.plan_.announcements));
    pool.after(minutes(30));
  }
  EXPECT_EQ(said, 1);
  EXPECT_THAT(pool.message(), HasSubstr("job vision/fit, which has reported no checkpoint in its attempt"));
}

TEST(DriftedNodes, stay_for_the_job_that_begins_there_when_the_one_before_has_just_ended) {
  Drifting pool;
  EXPECT_THAT(pool.look(), ElementsAre());
  pool.after(seconds(1));
  pool.runs(training_job("next", kStart - hours(1)));
  pool.after(seconds(29));
  EXPECT_THAT(pool.look(), ElementsAre());
  EXPECT_EQ(pool.state(), "False/WaitingForCheckpoint");
}

TEST(DriftedNodes, go_one_at_a_time) {
  Drifting pool(3);
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0", "claim-0")) << "its deletion may not have arrived";
  pool.change_claim(0, [](auto& claim) { claim.meta.deletion_timestamp = kStart; });
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.message(), "NodeClaim claim-0 is being deleted");
  pool.renew(0);
  pool.change_claim(2, [](auto& claim) { claim.conditions.clear(); });
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.message(), "NodeClaim claim-3 is not initialised yet");
  pool.change_claim(2, [](auto& claim) { claim.conditions = {{"Initialized", "True", "", ""}}; });
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-1"));
}

TEST(DriftedNodes, that_nobody_uses_go_before_others) {
  Drifting pool(2);
  pool.runs(training_job("fit", kStart), "node-0");
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-1"));
}

TEST(DriftedNodes, stay_while_a_job_of_the_pool_begins_ends_or_was_interrupted) {
  struct Case {
    const char* when;
    void (*change)(api::ResumableJobStatus&);
    bool goes;
  };
  const Case table[] = {
      {"it trains", [](auto&) {}, true},
      {"its ranks are not ready",
       [](auto& s) {
         s.ready_attempt = 0;
         s.members[0].node_name = "node-9";
       },
       false},
      {"its attempt ends", [](auto& s) { s.attempt_end.emplace(); }, false},
      {"the next attempt is awaited",
       [](auto& s) {
         s.members.clear();
         s.last_interruption.emplace();
       },
       false},
      {"it waits for a queue", [](auto& s) { s.members.clear(); }, true},
      {"it is suspended at a limit",
       [](auto& s) {
         s.members.clear();
         s.last_interruption.emplace();
         s.conditions = {{.type = "Suspended", .status = kube::ConditionStatus::True}};
       },
       true},
      {"it has ended",
       [](auto& s) {
         s.ready_attempt = 0;
         s.conditions = {{.type = "Complete", .status = kube::ConditionStatus::True}};
       },
       true},
  };
  for (const Case& row : table) {
    Drifting pool;
    auto job = training_job("fit", kStart);
    row.change(job.status);
    pool.seen_.users[job.meta.uid] = std::make_shared<const api::ResumableJob>(job);
    EXPECT_EQ(pool.rolled().size(), row.goes ? 1U : 0U) << row.when;
    if (row.goes) continue;
    EXPECT_THAT(pool.message(), HasSubstr("job vision/fit is not training yet")) << row.when;
  }
}

TEST(DriftedNodes, stay_while_broken_ones_are_given_back) {
  Drifting pool(2, [](auto& p) { p.spec.health_policy = api::HealthPolicy::Replace; });
  pool.change_node(1, [](kube::Node& node) { node.conditions.push_back({"GpuMemWatch", "True", "XID48", "m"}); });
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.message(), "nodes whose GPUs are called broken go first");
}

// A driver that breaks them all is mended by a NodeClass by which all have drifted.
TEST(DriftedNodes, go_where_so_many_are_called_broken_that_none_is_given_back_for_that) {
  Drifting pool(5, [](auto& p) { p.spec.health_policy = api::HealthPolicy::Replace; });
  for (const std::size_t broken : {0U, 1U})
    pool.change_node(broken, [](kube::Node& node) {
      node.conditions.push_back({"GpuMemWatch", "True", "XID48", "m"});
    });
  EXPECT_EQ(pool.rolled().size(), 1U);
}

TEST(DriftedNodes, stay_while_pods_of_the_one_that_went_wait_for_another) {
  Drifting pool(2);
  kube::Pod server = testing::pod_on("", "server-7", "ReplicaSet", "uid-server");
  server.phase = kube::PodPhase::Pending;
  server.meta.creation_timestamp = kStart - minutes(1);
  pool.seen_.waiting.push_back(std::make_shared<const kube::Pod>(server));
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.message(), "pod vision/server-7 waits for a node");
  pool.seen_.now = kStart + hours(1);
  EXPECT_EQ(pool.rolled().size(), 1U) << "what waits longer, no node would help";
}

TEST(DriftedNodes, that_nobody_uses_go_beside_a_job_that_never_had_a_machine) {
  auto waiting = training_job("large", kStart);
  waiting.status.ready_attempt = 0;
  const auto with_waiting = [&](Drifting& pool) {
    pool.seen_.users[waiting.meta.uid] = std::make_shared<const api::ResumableJob>(waiting);
    return pool.rolled();
  };
  Drifting unused, used, just_begun;
  EXPECT_THAT(with_waiting(unused), ElementsAre("claim-0"));
  waiting.status.attempt_start_time = kStart - seconds(1);
  EXPECT_THAT(with_waiting(just_begun), ElementsAre()) << "its pods are about to be bound there";
  EXPECT_EQ(just_begun.plan_.wake_at, kStart - seconds(1) + minutes(5));
  waiting.status.attempt_start_time = kStart - minutes(10);
  used.runs(training_job("fit", kStart));
  EXPECT_THAT(with_waiting(used), ElementsAre()) << "it might take that job's place";
  waiting.status.members[0].node_name = "node-9";
  Drifting begun;
  EXPECT_THAT(with_waiting(begun), ElementsAre()) << "its other ranks come";
}

// In a pool of short jobs each idle node is in use again before it is due.
TEST(DriftedNodes, that_were_written_down_and_stayed_are_not_counted) {
  Drifting pool(7);
  for (int i = 0; i < 7; ++i) {
    EXPECT_THAT(pool.look(), ElementsAre()) << i;
    EXPECT_EQ(pool.state(), "False/RollingNode") << i;
    auto job = training_job("short-" + std::to_string(i), kStart);
    job.status.progress.reset();
    pool.runs(job, "node-" + std::to_string(i));
    pool.after(minutes(2));
  }
}

// A later deletion of it is somebody else's.
TEST(DriftedNodes, that_were_written_down_and_stayed_are_soon_forgotten) {
  Drifting pool;
  EXPECT_THAT(pool.look(), ElementsAre());
  auto job = training_job("short", kStart);
  job.status.progress.reset();
  pool.runs(job);
  pool.after(seconds(30));
  EXPECT_THAT(pool.look(), ElementsAre());
  EXPECT_EQ(pool.seen_.pool->status.drift.rolled.size(), 1U) << "a deletion may have been sent";
  ASSERT_EQ(pool.plan_.wake_at, kStart + seconds(150)) << "nothing else wakes the pool";
  pool.seen_.now = *pool.plan_.wake_at;
  EXPECT_THAT(pool.look(), ElementsAre());
  EXPECT_THAT(pool.seen_.pool->status.drift.rolled, ::testing::IsEmpty());
}

TEST(DriftedNodes, that_are_never_rolled_are_called_so_whether_or_not_jobs_have_saved) {
  Drifting pool(1, [](auto& p) {
    p.spec.disruption_budgets = {{.nodes = "0", .reasons = {"Drifted"}, .schedule = {}, .duration_seconds = {}}};
  });
  auto job = training_job("fit", kStart);
  job.status.progress->checkpoint->time = kStart - minutes(30);
  pool.runs(job);
  EXPECT_THAT(pool.look(), ElementsAre());
  EXPECT_EQ(pool.state(), "False/RollingHeld");
  EXPECT_EQ(Drifting::times(kWaitingForCheckpoint, pool.plan_.announcements), 0);
}

TEST(DriftedNodes, stay_while_the_pool_s_node_pools_are_not_in_sync_or_not_ready) {
  Drifting unsynced;
  unsynced.change_pool([](auto& pool) { pool.spec.labels["team"] = "vision"; });
  EXPECT_THAT(unsynced.rolled(), ElementsAre());
  EXPECT_EQ(unsynced.state(), "False/RollingHeld");
  Drifting unready;
  for (auto& [name, node_pool] : unready.seen_.node_pools) {
    auto changed = std::make_shared<api::NodePool>(*node_pool);
    changed->conditions = {{"Ready", "False", "NodeClassNotReady", ""}};
    node_pool = std::move(changed);
  }
  EXPECT_THAT(unready.rolled(), ElementsAre());
  EXPECT_EQ(unready.message(), "the pool is not Ready, and another node might not come");
}

TEST(DriftedNodes, stay_where_a_budget_of_none_applies_to_drift) {
  struct Case {
    api::DisruptionBudget budget;
    bool goes;
  };
  for (const Case& row : {Case{{.nodes = "0", .reasons = {"Drifted"}, .schedule = {}, .duration_seconds = {}}, false},
                          Case{{.nodes = "0%", .reasons = {}, .schedule = "@daily", .duration_seconds = 3600}, false},
                          Case{{.nodes = "0", .reasons = {"Empty"}, .schedule = {}, .duration_seconds = {}}, true},
                          Case{{.nodes = "1", .reasons = {}, .schedule = {}, .duration_seconds = {}}, true}}) {
    Drifting pool(1, [&](auto& p) { p.spec.disruption_budgets = {row.budget}; });
    EXPECT_EQ(pool.rolled().size(), row.goes ? 1U : 0U) << row.budget.nodes;
  }
}

TEST(DriftedNodes, stay_where_the_operator_does_not_see_who_uses_them) {
  Drifting pool;
  pool.settings_.is_every_pod_seen = false;
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.state(), "False/RollingHeld");
}

TEST(DriftedNodes, of_a_template_that_never_stands_still_go_six_times_an_hour) {
  Drifting pool;
  for (int i = 0; i < kMostRolledPerHour; ++i) {
    EXPECT_EQ(pool.rolled().size(), 1U);
    pool.renew(0, true);
    pool.after(minutes(5));
  }
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.state(), "False/RollingHeld");
  ASSERT_EQ(pool.plan_.wake_at, kStart + hours(1));
  pool.seen_.now = *pool.plan_.wake_at;
  EXPECT_EQ(pool.rolled().size(), 1U);
  EXPECT_LE(pool.seen_.pool->status.drift.rolled.size(), 8U);
}

TEST(DriftedNodes, are_not_held_by_records_of_a_clock_that_was_ahead) {
  Drifting pool;
  pool.change_pool([](auto& p) { p.status.drift.rolled.assign(8, {"gone", "gone", kStart + hours(24 * 365)}); });
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
}

TEST(DriftedNodes, of_somebody_else_s_node_pool_stay) {
  Drifting pool;
  pool.seen_.node_pools["other"] = make_node_pool("other", "uid-of-another");
  pool.change_claim(0, [](auto& claim) { claim.meta.labels["karpenter.sh/nodepool"] = "other"; });
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.state(), "True/NoDriftSeen");
}

TEST(DriftedNodes, stay_where_their_node_or_node_claim_asks_for_it) {
  const auto asks = [](auto& object) { object.meta.annotations["karpenter.sh/do-not-disrupt"] = "true"; };
  Drifting by_claim;
  by_claim.change_claim(0, asks);
  EXPECT_THAT(by_claim.rolled(), ElementsAre());
  EXPECT_EQ(by_claim.message(), "node node-0: its NodeClaim carries karpenter.sh/do-not-disrupt");
  Drifting by_node;
  by_node.change_node(0, asks);
  EXPECT_THAT(by_node.rolled(), ElementsAre());
  EXPECT_EQ(by_node.message(), "node node-0: it carries karpenter.sh/do-not-disrupt");
}

// The status says the same while the deletion is tried again, and an Event says it once.
TEST(DriftedNodes, whose_deletion_was_rejected_are_written_down_anew_only_when_it_is_tried_again) {
  Drifting pool(2);
  pool.seen_.refused_deletions = {{"claim-0", false}};
  static_cast<void>(pool.look());
  EXPECT_EQ(pool.message(), "NodeClaim claim-0 is to be given back, and the API server rejects its deletion");
  const api::GpuPoolStatus said = pool.plan_.status;
  for (int i = 0; i < 20; ++i) {
    pool.after(minutes(1));
    EXPECT_THAT(pool.look(), ElementsAre()) << "no other goes either";
    EXPECT_EQ(pool.plan_.status, said);
    EXPECT_THAT(pool.plan_.still_refused, ElementsAre("claim-0"));
    EXPECT_THAT(pool.plan_.announcements, ::testing::IsEmpty());
  }
  pool.seen_.refused_deletions = {{"claim-0", true}};
  EXPECT_THAT(pool.look(), ElementsAre()) << "its record is written first";
  EXPECT_THAT(pool.plan_.still_refused, ElementsAre("claim-0"));
  EXPECT_THAT(pool.plan_.announcements, ::testing::IsEmpty());
  EXPECT_EQ(pool.seen_.pool->status.drift.rolled.size(), 1U);
  pool.after(seconds(30));
  EXPECT_THAT(pool.look(), ElementsAre("claim-0"));
  EXPECT_THAT(pool.plan_.still_refused, ElementsAre()) << "the answer says it";
  EXPECT_EQ(pool.plan_.status.conditions, said.conditions);
  pool.seen_.refused_deletions.clear();
  EXPECT_EQ(pool.rolled().size(), 2U);
}

TEST(DriftedNodes, whose_deletion_was_rejected_are_called_so_while_their_jobs_are_still_to_save) {
  Drifting pool;
  auto job = training_job("fit", kStart);
  job.status.progress->checkpoint->time = kStart - minutes(30);
  pool.runs(job);
  for (const bool is_due : {false, true}) {
    pool.seen_.refused_deletions = {{"claim-0", is_due}};
    EXPECT_THAT(pool.look(), ElementsAre());
    EXPECT_EQ(pool.state(), "False/RollingHeld");
    EXPECT_THAT(pool.plan_.still_refused, ElementsAre("claim-0"));
  }
  pool.change_claim(0, [](auto& claim) { claim.meta.annotations["karpenter.sh/do-not-disrupt"] = "true"; });
  EXPECT_THAT(pool.look(), ElementsAre());
  EXPECT_THAT(pool.plan_.still_refused, ElementsAre()) << "it is not wanted any more";
}

TEST(DriftedNodes, whose_node_is_not_known_stay) {
  Drifting pool;
  pool.seen_.nodes.clear();
  EXPECT_THAT(pool.rolled(), ElementsAre());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
