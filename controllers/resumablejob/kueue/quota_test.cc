// A job in a queue of Kueue runs while its Workload is admitted, and gives its quota back when nothing of it writes.
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::testing {
namespace {

const api::Workload& workload(const JobWorld& world) {
  return *world.kueue_.workload;
}

TEST(Quota, a_queued_job_asks_for_quota_and_makes_nothing_else) {
  JobWorld world = queued_job(2);
  world.settle();
  ASSERT_TRUE(world.kueue_.workload);
  EXPECT_EQ(workload(world).spec.queue_name, "team-a");
  EXPECT_EQ(world.status().attempt, 0);
  EXPECT_TRUE(world.pods().empty());
  EXPECT_TRUE(world.claims_.empty());
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForQuota");
  EXPECT_EQ(world.state("QuotaReserved"), "False/Pending");
}

TEST(Quota, says_in_kueues_words_why_it_waits) {
  JobWorld world = queued_job();
  world.settle();
  world.change_workload([&](api::Workload& waiting) {
    kube::ConditionSetter(waiting.conditions, 1, world.now_)
        .set_false("QuotaReserved", "Pending", "insufficient unused quota for reprise.dev/gpu in flavor t4");
  });
  world.settle();
  EXPECT_NE(world.condition("PodsReady").message.find("insufficient unused quota"), std::string::npos);
}

TEST(Quota, an_admitted_job_begins) {
  const JobWorld world = admitted_job();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_EQ(world.state("QuotaReserved"), "True/QuotaReserved");
  EXPECT_TRUE(workload(world).is_true("PodsReady"));
}

TEST(Quota, a_reservation_without_admission_starts_nothing) {
  JobWorld world = queued_job();
  world.settle();
  world.admit();
  world.change_workload([&](api::Workload& checked) {
    kube::ConditionSetter(checked.conditions, 1, world.now_)
        .set_false("Admitted", "UnsatisfiedChecks", "The workload has not all checks ready");
  });
  world.settle();
  EXPECT_TRUE(world.pods().empty());
  EXPECT_NE(world.condition("PodsReady").message.find("not all checks ready"), std::string::npos);
}

TEST(Quota, admission_survives_an_interruption) {
  JobWorld world = admitted_job();
  world.force_remove("fit-1-0");
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  world.schedule_all();
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.state("PodsReady"), "True/Recovered");
  EXPECT_TRUE(holds_quota(world));
}

TEST(Quota, an_eviction_stops_the_ranks_and_keeps_the_quota_until_all_have_ended) {
  JobWorld world = admitted_job(2);
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  EXPECT_TRUE(holds_quota(world)) << "both ranks may still be saving";
  world.exit("fit-1-0", 143);
  world.settle();
  EXPECT_TRUE(holds_quota(world)) << "rank 1 may still be saving";
  world.stop_deleted(143);
  world.settle();
  EXPECT_FALSE(holds_quota(world));
  EXPECT_FALSE(workload(world).is_true("Admitted"));
  EXPECT_TRUE(workload(world).is_true("Requeued")) << "Kueue queues it again after a preemption";
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForQuota");
}

TEST(Quota, a_node_that_does_not_answer_keeps_the_quota) {
  JobWorld world = admitted_job();
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  world.now_ += std::chrono::minutes(30);
  world.settle();
  EXPECT_TRUE(holds_quota(world));
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_FALSE(holds_quota(world));
}

TEST(Quota, an_evicted_job_goes_on_when_it_is_admitted_again) {
  JobWorld world = admitted_job();
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  world.admit();
  world.settle();
  world.schedule_all();
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.state("PodsReady"), "True/Recovered");
}

TEST(Quota, an_eviction_is_no_interruption_and_no_failure) {
  JobWorld world = admitted_job();
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().last_end->reason, "Evicted");
}

TEST(Quota, gives_back_what_was_evicted_between_two_attempts) {
  JobWorld world = admitted_job();
  world.exit("fit-1-0", 1);
  world.settle();
  ASSERT_TRUE(world.status().members.empty()) << "the job pauses after a failure";
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  EXPECT_FALSE(holds_quota(world));
}

TEST(Quota, every_step_is_found_again_after_a_crash) {
  JobWorld world = queued_job(2);
  world.settle_with_crashes();
  world.admit();
  world.settle_with_crashes();
  world.schedule_all();
  world.settle_with_crashes();
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle_with_crashes();
  EXPECT_TRUE(holds_quota(world));
  for (const std::string& pod : world.pods()) world.exit(pod, 143);
  world.settle_with_crashes();
  world.stop_deleted(143);
  world.settle_with_crashes();
  EXPECT_FALSE(holds_quota(world));
}

TEST(Quota, a_suspended_job_asks_for_none) {
  JobWorld world = admitted_job();
  world.job_.spec.suspend = true;
  world.settle();
  EXPECT_TRUE(holds_quota(world));
  world.stop_deleted(143);
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
  world.job_.spec.suspend = false;
  world.settle();
  ASSERT_TRUE(world.kueue_.workload);
  EXPECT_EQ(world.status().attempt, 1) << "it waits in the queue like any other";
}

TEST(Quota, a_job_at_its_limit_of_interruptions_gives_its_quota_back) {
  JobWorld world = admitted_job();
  world.job_.spec.interruption.limit = 1;
  world.force_remove("fit-1-0");
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
}

TEST(Quota, a_complete_job_finishes_its_workload) {
  JobWorld world = admitted_job();
  world.exit_all(0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
  ASSERT_TRUE(workload(world).is_true("Finished"));
  EXPECT_EQ(workload(world).condition("Finished")->reason, "Succeeded");
}

TEST(Quota, a_failed_job_finishes_its_workload) {
  JobWorld world = admitted_job();
  world.job_.spec.backoff_limit = 0;
  world.exit_all(1);
  world.settle();
  ASSERT_TRUE(workload(world).is_true("Finished"));
  EXPECT_EQ(workload(world).condition("Finished")->reason, "Failed");
}

TEST(Quota, without_the_feature_gate_the_job_waits_and_says_so) {
  JobWorld world = queued_job();
  world.kueue_ = {};
  world.settle();
  EXPECT_TRUE(world.pods().empty());
  EXPECT_EQ(world.state("Stalled"), "True/KueueDisabled");
  EXPECT_NE(world.condition("PodsReady").message.find("--feature-gates=Kueue=true"), std::string::npos);
}

TEST(Quota, turning_the_feature_gate_off_stops_no_training) {
  JobWorld world = admitted_job();
  world.kueue_ = {};
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Quota, without_kueue_in_the_cluster_the_job_waits_and_says_so) {
  JobWorld world = queued_job();
  world.kueue_.served = false;
  world.settle();
  EXPECT_TRUE(world.pods().empty());
  EXPECT_EQ(world.state("Stalled"), "True/KueueNotInstalled");
}

TEST(Quota, removing_kueue_stops_no_training) {
  JobWorld world = admitted_job();
  world.kueue_.served = false;
  world.kueue_.workload = nullptr;
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
}

TEST(Quota, a_job_without_the_label_waits_for_nobody) {
  JobWorld world(MakeJob("fit").get());
  world.kueue_.enabled = world.kueue_.served = true;
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
  EXPECT_EQ(world.pods().size(), 1U);
}

TEST(Quota, a_label_that_is_taken_off_gives_the_place_in_the_queue_back) {
  JobWorld world = queued_job();
  world.settle();
  world.job_.meta.labels = {};
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
  EXPECT_EQ(world.pods().size(), 1U);
}

TEST(Quota, what_is_edited_before_an_attempt_is_queued_anew) {
  JobWorld world = queued_job();
  world.settle();
  world.admit();
  const std::string before(workload(world).meta.uid);
  world.job_.spec.parallelism = 2;
  world.settle();
  ASSERT_TRUE(world.kueue_.workload);
  EXPECT_NE(workload(world).meta.uid, before);
  EXPECT_TRUE(world.pods().empty());
}

TEST(Quota, a_deleted_workload_ends_the_attempt_and_is_made_anew) {
  JobWorld world = admitted_job();
  world.kueue_.workload = nullptr;
  world.settle();
  EXPECT_FALSE(world.kueue_.workload) << "its next place in the queue is for the next attempt";
  world.stop_deleted(143);
  world.settle();
  ASSERT_TRUE(world.kueue_.workload);
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForQuota");
  EXPECT_TRUE(world.pods().empty());
}

TEST(Quota, a_deactivated_workload_ends_the_attempt) {
  JobWorld world = admitted_job();
  world.change_workload([](api::Workload& stopped) { stopped.spec.active = false; });
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_TRUE(world.pods().empty());
  EXPECT_NE(world.condition("PodsReady").message.find("deactivated"), std::string::npos);
}

TEST(Quota, a_flavor_that_is_not_there_is_waited_for) {
  JobWorld world = queued_job();
  world.settle();
  world.admit({"t4"});
  world.kueue_.not_found = "ResourceFlavor t4, which Kueue has assigned, is not there";
  world.settle();
  EXPECT_TRUE(world.pods().empty());
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForQuota");
}

TEST(Quota, a_flavor_of_other_nodes_than_the_jobs_needs_a_person) {
  JobWorld world = queued_job();
  world.settle();
  world.admit({"a100"});
  api::ResourceFlavor flavor;
  flavor.meta.name = "a100";
  flavor.node_labels = {{"reprise.dev/pool", "a100"}};
  world.kueue_.flavors = {std::make_shared<const api::ResourceFlavor>(flavor)};
  world.settle();
  EXPECT_TRUE(world.pods().empty());
  EXPECT_EQ(world.state("Stalled"), "True/FlavorConflict");
}

TEST(Quota, no_clock_of_the_job_runs_while_it_waits_after_an_eviction) {
  JobWorld world = admitted_job();
  world.job_.spec.active_deadline_seconds = 3600;
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
}

}  // namespace
}  // namespace reprise::controllers::testing
