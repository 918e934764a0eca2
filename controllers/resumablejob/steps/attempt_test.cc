// Attempts: how they begin, run and follow each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/status/event_worlds_for_tests.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::kStart;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

JobWorld running(std::int32_t parallelism = 2) {
  JobWorld world(MakeJob("fit").parallelism(parallelism).get());
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

TEST(Attempt, begins_with_claim_and_service_then_the_whole_gang) {
  JobWorld world(MakeJob("fit").parallelism(3).get());
  world.reconcile();
  EXPECT_THAT(world.pods(), IsEmpty()) << "no pod before the claim";
  EXPECT_TRUE(world.service_);
  EXPECT_TRUE(world.claims_.contains("fit-checkpoints"));
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-1-0", "fit-1-1", "fit-1-2"));
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Attempt, is_written_to_the_status_before_any_of_its_pods_exists) {
  JobWorld world(MakeJob("fit").get());
  while (world.status().attempt == 0) {
    world.reconcile();
    EXPECT_THAT(world.pods(), IsEmpty());
  }
  EXPECT_EQ(world.status().members.size(), 1U);
}

TEST(Attempt, remembers_where_each_rank_runs) {
  const JobWorld world = running();
  ASSERT_EQ(world.status().members.size(), 2U);
  const api::RankStatus& rank = world.status().members[1];
  EXPECT_EQ(rank.node_name, "node-of-fit-1-1");
  EXPECT_EQ(rank.node_uid, "uid-node-of-fit-1-1");
  EXPECT_EQ(rank.boot_id, "boot-node-of-fit-1-1");
  EXPECT_EQ(rank.node_claim_uid, "uid-claim-node-of-fit-1-1");
  EXPECT_FALSE(rank.pod_uid.empty());
}

TEST(Attempt, that_runs_is_current_for_kstatus_and_says_so) {
  const JobWorld world = running();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_EQ(find_condition(world.status().conditions, "Reconciling"), nullptr);
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
  for (const kube::Condition& condition : world.status().conditions) {
    EXPECT_EQ(condition.observed_generation, world.job_.meta.generation) << condition.type;
  }
  EXPECT_EQ(world.status().observed_generation, world.job_.meta.generation);
}

TEST(Attempt, in_steady_state_writes_nothing) {
  JobWorld world = running();
  const api::ResumableJobStatus before = world.status();
  world.now_ += std::chrono::hours(5);
  const Plan plan = world.reconcile();
  EXPECT_EQ(plan.status, before);
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_TRUE(plan.announcements.empty());
}

TEST(Attempt, waiting_for_capacity_writes_nothing_however_long) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  const api::ResumableJobStatus before = world.status();
  world.now_ += std::chrono::hours(50);
  const Plan plan = world.reconcile();
  EXPECT_EQ(plan.status, before);
  EXPECT_TRUE(plan.actions.empty());
}

TEST(Attempt, interrupted_is_followed_by_the_next_once_and_counted_once) {
  JobWorld world = running();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.state("Interrupted"), "True/NodeClaimDeleted");
  EXPECT_TRUE(world.pod("fit-1-0").meta.deletion_timestamp) << "the rank on the dying node";
  EXPECT_TRUE(world.pod("fit-1-1").meta.deletion_timestamp) << "and its peer, in one round";
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_TRUE(world.has_pod("fit-2-0"));
  world.schedule_all();
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.state("Interrupted"), "False/Recovered");
  EXPECT_EQ(world.state("PodsReady"), "True/Recovered");
  ASSERT_EQ(world.status().interruptions.size(), 1U);
  EXPECT_EQ(world.status().interruptions[0].reason, "NodeClaimDeleted");
}

TEST(Attempt, pods_get_no_more_time_than_their_node_has) {
  JobWorld world = running();
  world.node_claims_.at("node-of-fit-1-0").meta.annotations["karpenter.sh/nodeclaim-termination-timestamp"] =
      kube::format_time(kStart + std::chrono::seconds(40));
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(*world.pod("fit-1-0").meta.deletion_timestamp, kStart + std::chrono::seconds(35));
  EXPECT_EQ(*world.pod("fit-1-1").meta.deletion_timestamp, kStart + std::chrono::seconds(35));
  EXPECT_EQ(world.status().last_interruption->notice_seconds, 40);
}

TEST(Attempt, a_hint_asks_each_agent_once_for_a_checkpoint_and_ends_nothing) {
  JobWorld world = running(1);
  world.nodes_.at("node-of-fit-1-0")
      .taints.push_back({"aws-node-termination-handler/rebalance-recommendation", "", "NoSchedule"});
  world.settle();
  world.settle();
  EXPECT_EQ(world.checkpoint_requests_.size(), 1U);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_FALSE(world.pod("fit-1-0").meta.deletion_timestamp);
}

TEST(Attempt, suspend_stops_it_and_resume_goes_on_without_counting) {
  JobWorld world = running();
  world.job_.spec.suspend = true;
  world.job_.meta.generation = 2;
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.state("Suspended"), "True/Suspended");
  EXPECT_THAT(world.pods(), IsEmpty());
  world.job_.spec.suspend = false;
  world.job_.meta.generation = 3;
  world.settle();
  EXPECT_EQ(world.state("Suspended"), "False/Resumed");
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(Attempt, at_the_interruption_limit_the_job_is_suspended_until_the_limit_is_raised) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.interruption.limit = 1; }).get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.state("Suspended"), "True/InterruptionLimitReached");
  EXPECT_EQ(std::ranges::count(world.announced_, "InterruptionLimitReached", &Announcement::reason), 1);
  EXPECT_EQ(world.status().attempt, 1);
  world.job_.spec.interruption.limit = 2;
  world.job_.meta.generation = 2;
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Attempt, that_its_pool_moved_counts_towards_no_limit) {
  JobWorld world(MakeJob("fit")
                     .with([](auto& j) {
                       j.spec.interruption.limit = 1;
                       j.spec.backoff_limit = 0;
                     })
                     .get());
  world.settle();
  world.schedule_all();
  world.settle();
  api::GpuPool pool = *world.pool_;
  pool.status.drift.rolled = {{world.status().members[0].node_claim_name, "node-of-fit-1-0", kStart}};
  world.pool_ = std::make_shared<const api::GpuPool>(pool);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().last_interruption->reason, "NodeDrifted");
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().planned_interruptions, 1);
  EXPECT_EQ(world.status().last_planned_time, world.status().last_interruption->time);
}

TEST(Attempt, expects_the_step_that_was_last_reported_durable) {
  JobWorld world = running(1);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143, R"({"attempt":1,"index":0,"exitCode":143,"finished":false,"asked":true,"saved":true,)"
                          R"("step":120,"path":"step-120","sizeBytes":10,"durable":true})");
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 120);
  EXPECT_EQ(world.status().checkpoint->claim_name, "fit-checkpoints");
  EXPECT_EQ(world.state("CheckpointReady"), "True/Verified");
  EXPECT_EQ(world.status().last_interruption->saved, true);
}

TEST(Attempt, from_scratch_holds_for_one_attempt_and_again_only_after_it_was_taken_back) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.resume = api::ResumePolicy::FromScratch; }).get());
  world.settle();
  EXPECT_EQ(world.status().from_scratch_attempt, 1);
  world.schedule_all();
  world.settle();
  world.job_.spec.resume = api::ResumePolicy::Latest;
  world.exit("fit-1-0", 85);
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.status().from_scratch_attempt, 0);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Attempt, three_without_a_newer_step_are_called_stalled_and_wait_longer_each_time) {
  const JobWorld world = after_three_without_progress();
  EXPECT_EQ(world.state("Stalled"), "True/NoProgress");
  EXPECT_TRUE(world.status().retry_after);
}

TEST(Attempt, every_course_ends_alike_when_the_operator_dies_between_status_and_actions) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle_with_crashes();
  world.schedule_all();
  world.settle_with_crashes();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle_with_crashes();
  world.stop_deleted(143);
  world.settle_with_crashes();
  world.schedule_all();
  world.settle_with_crashes();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().interruption_count, 1);
  world.exit_all(0);
  world.settle_with_crashes();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

TEST(Attempt, finished_job_is_deleted_after_its_time_to_live) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.ttl_seconds_after_finished = 60; }).get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit_all(0);
  world.settle();
  const Plan waiting = world.reconcile();
  EXPECT_EQ(waiting.wake_at, world.now_ + std::chrono::seconds(60));
  world.now_ += std::chrono::seconds(60);
  world.reconcile();
  EXPECT_TRUE(world.job_deleted_);
}

TEST(Attempt, whose_pods_the_api_server_rejects_says_so_in_its_words_and_once) {
  JobWorld world(MakeJob("fit").get());
  world.reject_pods_ = "create Pod vision/fit-1-0: serviceaccount \"nobody\" not found";
  for (int i = 0; i < 10; ++i) {
    world.reconcile();
    world.now_ += std::chrono::seconds(1);
  }
  EXPECT_EQ(world.state("PodsReady"), "False/FailedCreate");
  EXPECT_EQ(world.state("Stalled"), "True/FailedCreate");
  EXPECT_EQ(world.condition("Stalled").message, world.reject_pods_);
  EXPECT_EQ(find_condition(world.status().conditions, "Reconciling"), nullptr) << "kstatus would call it in progress";
  const api::ResumableJobStatus before = world.status();
  EXPECT_FALSE(world.reconcile().actions.empty()) << "it goes on trying";
  EXPECT_EQ(world.status(), before) << "and writes nothing meanwhile";
  EXPECT_EQ(std::ranges::count_if(world.announced_, [](const auto& said) { return said.reason == "FailedCreate"; }), 1);
}

TEST(Attempt, that_waits_for_a_claim_still_ends_at_the_active_deadline) {
  JobWorld world(MakeJob("fit").with([](auto& j) { j.spec.active_deadline_seconds = 600; }).get());
  world.job_.status.start_time = world.now_;
  world.kept_claims_["fit-checkpoints"] = "ResumableJob elder uses the checkpoint claim";
  world.settle();
  ASSERT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + std::chrono::seconds(600));
}

TEST(Attempt, whose_pods_are_taken_after_all_runs_as_if_nothing_had_been) {
  JobWorld world(MakeJob("fit").get());
  world.reject_pods_ = "create Pod vision/fit-1-0: exceeded quota";
  for (int i = 0; i < 10; ++i) world.reconcile();
  world.reject_pods_.clear();
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForStart");
  world.schedule_all();
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Attempt, whose_waiting_pods_ask_for_what_the_pool_no_longer_offers_is_started_anew) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.pods_.at("fit-1-0").resource_requests = {{"nvidia.com/gpu", "1"}};
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.pool_ = MakePool("t4").time_slicing(4).get();
  world.settle();
  world.now_ += std::chrono::seconds(10);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(Attempt, makes_no_pod_while_the_pool_that_it_names_is_away) {
  JobWorld world(MakeJob("fit").get());
  while (world.status().attempt == 0) world.reconcile();
  const auto pool = world.pool_;
  world.pool_ = nullptr;
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_THAT(world.condition("PodsReady").message, ::testing::HasSubstr("spec.poolName"));
  world.pool_ = pool;
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-1-0"));
}

TEST(Attempt, gets_its_service_back_when_somebody_removed_it) {
  JobWorld world = running();
  world.service_ = false;
  world.settle();
  EXPECT_TRUE(world.service_);
}

TEST(Attempt, a_suspend_by_hand_at_an_interruption_limit_of_zero_ends_with_the_suspend) {
  JobWorld world(MakeJob("fit")
                     .with([](auto& j) {
                       j.spec.interruption.limit = 0;
                       j.spec.suspend = true;
                     })
                     .get());
  world.settle();
  EXPECT_EQ(world.state("Suspended"), "True/Suspended");
  world.job_.spec.suspend = false;
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Attempt, a_large_gang_is_created_over_several_passes) {
  JobWorld world(MakeJob("fit").parallelism(512).get());
  world.pool_ = MakePool("t4").with([](auto& p) { p.spec.capacity.front().max_gpus.reset(); }).get();
  std::size_t most = 0;
  for (int pass = 0; pass < 20 && world.pods().size() < 512; ++pass) {
    const std::size_t before = world.pods().size();
    const Plan plan = world.reconcile();
    most = std::max(most, world.pods().size() - before);
    const std::size_t now = world.pods().size();
    const bool rest = now > 0 && now < 512;
    EXPECT_TRUE(!rest || plan.wake_at) << "the rest follows at once";
  }
  EXPECT_EQ(world.pods().size(), 512U);
  EXPECT_LE(most, 64U) << "a pass has to end within its time, also when each request takes a second";
}

TEST(Attempt, a_pool_that_is_coming_up_after_it_was_missing_is_no_stall_any_more) {
  JobWorld world(MakeJob("fit").get());
  const auto ready = world.pool_;
  world.pool_ = nullptr;
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/PoolNotFound");
  world.pool_ = MakePool("t4").with([](auto& p) { p.status.resource_name.clear(); }).get();
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
