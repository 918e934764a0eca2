// The promises of a job in a queue, whatever Kueue, people and earlier processes do: no attempt without quota, no quota
// given back under a pod that runs, no waiting that only a person could end.
#include <gtest/gtest.h>

#include <functional>

#include "controllers/common/conditions.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::testing {
namespace {

// Its trainer has failed, and it pauses before the next attempt.
JobWorld pausing_job(std::optional<std::int32_t> deadline = {}) {
  JobWorld world = admitted_job();
  world.job_.spec.active_deadline_seconds = deadline;
  world.exit("fit-1-0", 1);
  world.settle();
  return world;
}

void preempt(JobWorld& world) {
  world.evict("Preempted", "Preempted to accommodate a workload");
}

// A pod of an earlier attempt, as one that ran when this job did.
void leave_orphan(JobWorld& world, kube::Pod orphan) {
  orphan.meta.name = "fit-0-0";
  orphan.meta.uid = "uid-orphan";
  orphan.meta.labels["reprise.dev/attempt"] = "0";
  world.pods_.emplace("fit-0-0", std::move(orphan));
}

// Admitted, and its first attempt is written down; nothing was made for it yet.
JobWorld begun_without_pods() {
  JobWorld world = queued_job();
  world.settle();
  world.admit();
  for (int pass = 0; pass < 10 && world.status().attempt == 0; ++pass) static_cast<void>(world.reconcile());
  return world;
}

TEST(QuotaPromise, quota_is_kept_while_a_pod_of_an_earlier_attempt_runs) {
  JobWorld world = admitted_job();
  const kube::Pod running = world.pod("fit-1-0");
  world.exit("fit-1-0", 1);
  world.settle();
  ASSERT_TRUE(world.status().members.empty());
  leave_orphan(world, running);
  preempt(world);
  world.settle();
  EXPECT_TRUE(holds_quota(world)) << "fit-0-0 still runs";
  world.stop_deleted(143);
  world.settle();
  EXPECT_FALSE(holds_quota(world));
}

TEST(QuotaPromise, a_suspended_job_keeps_its_workload_while_a_pod_of_an_earlier_attempt_runs) {
  JobWorld world = admitted_job();
  const kube::Pod running = world.pod("fit-1-0");
  world.exit("fit-1-0", 1);
  world.settle();
  leave_orphan(world, running);
  world.job_.spec.suspend = true;
  world.settle();
  EXPECT_TRUE(holds_quota(world)) << "fit-0-0 still runs";
}

TEST(QuotaPromise, no_clock_runs_after_an_eviction_between_two_attempts) {
  JobWorld world = pausing_job(3600);
  preempt(world);
  world.settle();
  ASSERT_FALSE(holds_quota(world));
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "False/NotFinished") << "it has waited in the queue and not run";
}

TEST(QuotaPromise, no_clock_runs_after_an_eviction_while_an_interrupted_attempt_ends) {
  JobWorld world = admitted_job();
  world.job_.spec.active_deadline_seconds = 3600;
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  ASSERT_TRUE(world.status().attempt_end);
  preempt(world);
  world.stop_deleted(143);
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  ASSERT_FALSE(holds_quota(world));
  world.now_ += std::chrono::hours(5);
  world.settle();
  EXPECT_EQ(world.state("Failed"), "False/NotFinished") << "it has waited in the queue and not run";
}

TEST(QuotaPromise, no_pod_is_made_while_the_workload_is_gone) {
  JobWorld world = begun_without_pods();
  ASSERT_EQ(world.status().attempt, 1);
  ASSERT_TRUE(world.pods().empty());
  world.kueue_.workload = nullptr;
  world.settle();
  EXPECT_TRUE(world.pods().empty()) << "its quota is somebody else's by now";
}

TEST(QuotaPromise, an_attempt_ends_when_its_workload_is_gone_however_soon_another_is_admitted) {
  JobWorld world = admitted_job();
  world.kueue_.workload = nullptr;
  for (int pass = 0; pass < 10 && !world.kueue_.workload; ++pass) {
    static_cast<void>(world.reconcile());
    if (world.kueue_.workload) world.admit();
    world.stop_deleted(143);
  }
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "between the two its quota was somebody else's";
}

TEST(QuotaPromise, an_attempt_ends_when_its_workload_is_gone_and_no_other_can_be_made) {
  JobWorld world = admitted_job();
  world.kueue_.workload = nullptr;
  world.kueue_.not_found = "label kueue.x-k8s.io/priority-class: WorkloadPriorityClass urgent is not there";
  world.settle();
  EXPECT_TRUE(world.status().attempt_end) << "it runs without quota for as long as the class is missing";
}

TEST(QuotaPromise, a_label_that_is_taken_off_under_way_shields_from_no_eviction) {
  JobWorld world = admitted_job();
  world.job_.meta.labels = {};
  preempt(world);
  world.settle();
  EXPECT_TRUE(world.status().attempt_end) << "who preempted it waits for its quota for as long as it trains";
}

TEST(QuotaPromise, a_released_workload_is_not_ready) {
  JobWorld world = admitted_job();
  preempt(world);
  world.settle();
  world.stop_deleted(143);
  world.settle();
  ASSERT_FALSE(holds_quota(world));
  EXPECT_FALSE(world.kueue_.workload->is_true("PodsReady"))
      << "admitted again, Kueue takes it for started and never times it out";
}

TEST(QuotaPromise, a_job_whose_claims_another_one_keeps_holds_no_quota) {
  JobWorld world = queued_job();
  world.kept_claims_["fit-checkpoints"] = "ResumableJob other trains on the checkpoint claim";
  world.settle();
  EXPECT_FALSE(world.kueue_.workload) << "the other one may wait for the very quota that it would hold";
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  world.kept_claims_.clear();
  world.settle();
  ASSERT_TRUE(world.kueue_.workload);
  world.admit();
  world.kept_claims_["fit-checkpoints"] = "ResumableJob other trains on the checkpoint claim";
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
}

TEST(QuotaPromise, a_job_that_was_admitted_when_another_one_took_its_claim_gives_its_quota_back) {
  JobWorld world = begun_without_pods();
  ASSERT_EQ(world.status().attempt, 1);
  ASSERT_TRUE(world.pods().empty());
  world.kept_claims_["fit-checkpoints"] = "ResumableJob other trains on the checkpoint claim";
  world.settle();
  EXPECT_FALSE(world.kueue_.workload) << "when the other one is evicted, it waits for this quota";
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  EXPECT_EQ(world.status().failures, 0);
  world.kept_claims_.clear();
  world.settle();
  ASSERT_TRUE(world.kueue_.workload);
  world.admit();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_TRUE(world.has_pod("fit-2-0"));
}

// GPUs would be reserved for days while others wait for them.
TEST(QuotaPromise, a_job_that_waits_for_a_person_holds_no_quota) {
  struct Row {
    const char* reason;
    std::function<void(JobWorld&)> breaks, mends;
  };
  const auto pool = MakePool("t4").get();
  for (const Row& row : {
           Row{"PoolNotFound", [](JobWorld& world) { world.pool_ = nullptr; },
               [&](JobWorld& world) { world.pool_ = pool; }},
           Row{"NotSupported", [](JobWorld& world) { world.job_.spec.fencing = api::FencingPolicy::Silence; },
               [](JobWorld& world) { world.job_.spec.fencing = api::FencingPolicy::Proof; }},
           Row{"CheckpointLost", [](JobWorld& world) { world.claims_.clear(); },
               [](JobWorld& world) { world.job_.spec.resume = api::ResumePolicy::FromScratch; }},
       }) {
    JobWorld world = pausing_job();
    ASSERT_TRUE(holds_quota(world)) << row.reason;
    row.breaks(world);
    world.settle();
    EXPECT_EQ(world.state("Stalled"), std::string("True/") + row.reason);
    EXPECT_FALSE(world.kueue_.workload) << row.reason;
    row.mends(world);
    world.settle();
    ASSERT_TRUE(world.kueue_.workload) << row.reason << ": it queues again";
    world.admit();
    world.now_ += std::chrono::minutes(10);
    world.settle();
    EXPECT_TRUE(world.has_pod("fit-2-0")) << row.reason;
  }
}

TEST(QuotaPromise, a_job_whose_checkpoint_is_lost_holds_no_quota) {
  JobWorld world = admitted_job();
  world.exit("fit-1-0", 86,
             R"({"attempt":1,"index":0,"exitCode":86,"reason":"CheckpointLost","message":"it is gone"})");
  world.settle();
  ASSERT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_FALSE(world.kueue_.workload);
}

TEST(QuotaPromise, a_job_that_waits_for_a_person_keeps_its_quota_while_a_pod_of_an_earlier_attempt_runs) {
  JobWorld world = admitted_job();
  const kube::Pod running = world.pod("fit-1-0");
  world.exit("fit-1-0", 1);
  world.settle();
  leave_orphan(world, running);
  world.pool_ = nullptr;
  world.settle();
  EXPECT_TRUE(holds_quota(world)) << "fit-0-0 still runs";
  world.stop_deleted(143);
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
}

// Its pods are rejected again and again: in the end it is tried once an hour.
TEST(QuotaPromise, a_job_that_pauses_for_long_holds_no_quota_until_shortly_before_the_next_attempt) {
  using std::chrono::minutes;
  JobWorld world = queued_job();
  world.settle();
  world.admit();
  world.settle();
  const auto pause = [&] { return *world.status().retry_after - world.now_; };
  const auto begins_again = [&] {
    world.settle();
    if (!world.kueue_.workload || !holds_quota(world)) world.admit();
    world.now_ = *world.status().retry_after;
    world.settle();
  };
  for (int attempt = 1;; ++attempt) {
    ASSERT_LT(attempt, 20);
    const std::string pod = "fit-" + std::to_string(attempt) + "-0";
    ASSERT_TRUE(world.has_pod(pod));
    world.run_on(pod, "node-a");
    world.lose_containers(pod, "OutOfcpu", "Pod was rejected: Node didn't have enough resource: cpu");
    world.settle();
    ASSERT_TRUE(world.status().retry_after);
    if (pause() > minutes(30)) break;
    EXPECT_EQ(holds_quota(world), pause() <= minutes(6)) << "a short pause keeps its place";
    if (pause() > minutes(6)) world.now_ = *world.status().retry_after - minutes(6);
    begins_again();
  }
  EXPECT_FALSE(world.kueue_.workload) << "others may have it for the rest of the hour";
  EXPECT_EQ(world.state("PodsReady"), "False/WaitForRecovery");
  const auto plan = world.reconcile();
  ASSERT_TRUE(plan.wake_at);
  EXPECT_EQ(*world.status().retry_after - *plan.wake_at, minutes(6));
  world.now_ = *plan.wake_at - std::chrono::seconds(1);
  world.settle();
  EXPECT_FALSE(world.kueue_.workload);
  world.now_ = *plan.wake_at;
  world.settle();
  ASSERT_TRUE(world.kueue_.workload) << "it queues while the rest of the pause passes";
  const std::int32_t before = world.status().attempt;
  begins_again();
  EXPECT_EQ(world.status().attempt, before + 1);
}

TEST(QuotaPromise, an_edit_ends_a_long_pause_and_queues_the_job) {
  JobWorld world = pausing_job();
  world.job_.status.retry_after = world.now_ + std::chrono::minutes(50);
  world.job_.status.last_end->cause = api::AttemptEndCause::Rejected;
  world.settle();
  ASSERT_FALSE(world.kueue_.workload);
  ++world.job_.meta.generation;
  world.settle();
  EXPECT_TRUE(world.kueue_.workload);
}

TEST(QuotaPromise, a_long_pause_keeps_quota_while_a_pod_of_an_earlier_attempt_runs) {
  JobWorld world = admitted_job();
  const kube::Pod running = world.pod("fit-1-0");
  world.exit("fit-1-0", 1);
  world.settle();
  leave_orphan(world, running);
  world.job_.status.retry_after = world.now_ + std::chrono::minutes(50);
  world.job_.status.last_end->cause = api::AttemptEndCause::Rejected;
  world.settle();
  EXPECT_TRUE(holds_quota(world)) << "fit-0-0 still runs";
}

// A conflict can be seen only while quota is held: the job asks again once in a while.
TEST(QuotaPromise, a_job_with_a_flavor_of_other_nodes_asks_again_once_in_a_while) {
  JobWorld world = queued_job();
  world.settle();
  api::ResourceFlavor flavor;
  flavor.meta.name = "a100";
  flavor.node_labels = {{"reprise.dev/pool", "a100"}};
  world.kueue_.flavors = {std::make_shared<const api::ResourceFlavor>(flavor)};
  for (int asked = 0; asked < 3; ++asked) {
    ASSERT_TRUE(world.kueue_.workload);
    world.admit({"a100"});
    world.settle();
    EXPECT_EQ(world.state("Stalled"), "True/FlavorConflict");
    EXPECT_FALSE(world.kueue_.workload);
    world.now_ += std::chrono::minutes(9);
    const auto plan = world.reconcile();
    EXPECT_FALSE(world.kueue_.workload);
    ASSERT_TRUE(plan.wake_at);
    world.now_ = *plan.wake_at;
    world.settle();
  }
  world.admit({"a100"});
  world.settle();
  ASSERT_FALSE(world.kueue_.workload);
  world.job_.meta.labels["kueue.x-k8s.io/queue-name"] = "another";
  world.settle();
  EXPECT_TRUE(world.kueue_.workload) << "another queue has other flavors";
}

TEST(QuotaPromise, a_job_admitted_again_waits_for_its_start_and_not_for_recovery) {
  JobWorld world = admitted_job();
  preempt(world);
  world.settle();
  world.stop_deleted(143);
  world.settle();
  world.admit();
  world.settle();
  const kube::Condition* ready = world.kueue_.workload->condition("PodsReady");
  ASSERT_NE(ready, nullptr);
  EXPECT_EQ(ready->reason, "WaitForStart") << "without a recovery timeout Kueue lets it hold quota for ever";
}

}  // namespace
}  // namespace reprise::controllers::testing
