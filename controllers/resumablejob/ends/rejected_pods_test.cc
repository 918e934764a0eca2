// Pods that a kubelet's admission rejects, and Bindings that come after the pod was marked failed: the pod has a node
// and never ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JobWorld with_pods(std::int32_t parallelism = 1) {
  JobWorld world(MakeJob("fit").parallelism(parallelism).get());
  world.settle();
  return world;
}

void reject(JobWorld& world, const std::string& pod, const std::string& node, const std::string& reason = "OutOfcpu") {
  world.run_on(pod, node);
  world.lose_containers(pod, reason, "Pod was rejected: Node didn't have enough resource: cpu");
}

TEST(RejectedPod, is_proven_to_have_ended_by_the_kubelet_s_report_and_its_node_stays) {
  JobWorld world = with_pods();
  reject(world, "fit-1-0", "node-a");
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty()) << "the node is well";
  EXPECT_TRUE(world.status().members.empty()) << "the attempt is closed";
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

// A volume that finds no attachment on the node is no admit handler's business (Kubernetes 1.35, SyncPod).
TEST(RejectedPod, is_one_whatever_the_reason) {
  for (const char* reason : {"VolumeAttachmentLimitExceeded", "OfALaterKubelet", ""}) {
    JobWorld world = with_pods();
    reject(world, "fit-1-0", "node-a", reason);
    world.settle();
    EXPECT_EQ(world.status().interruption_count, 0) << reason;
    EXPECT_THAT(world.deleted_node_claims(), IsEmpty()) << reason;
    EXPECT_TRUE(world.status().members.empty()) << reason;
  }
}

TEST(RejectedPod, is_neither_a_failure_nor_an_interruption_and_is_reported) {
  JobWorld world = with_pods();
  reject(world, "fit-1-0", "node-a", "UnexpectedAdmissionError");
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_THAT(world.announced_, Contains(Field(&Announcement::reason, "PodRejected")));
  EXPECT_THAT(world.condition("PodsReady").message,
              HasSubstr("node node-a did not admit pod fit-1-0 (UnexpectedAdmissionError)"));
}

TEST(RejectedPod, is_told_apart_from_an_eviction_and_a_shutdown_while_it_ran) {
  for (const char* reason : {"Evicted", "NodeShutdown"}) {
    JobWorld world = with_pods();
    reject(world, "fit-1-0", "node-a", reason);
    world.settle();
    EXPECT_EQ(world.status().interruption_count, 0) << reason;
    EXPECT_THAT(world.deleted_node_claims(), IsEmpty()) << reason;
  }
  JobWorld world = with_pods();
  world.run_on("fit-1-0", "node-a");
  world.lose_containers("fit-1-0", "Evicted", "The node was low on resource: memory.");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced") << "nothing says that its container has ended";
}

TEST(RejectedPod, waits_longer_each_time_and_the_job_says_that_it_does_not_get_on) {
  JobWorld world = with_pods();
  std::chrono::seconds before{0};
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(world.status().attempt, attempt);
    reject(world, "fit-" + std::to_string(attempt) + "-0", "node-a");
    world.settle();
    ASSERT_TRUE(world.status().retry_after);
    const auto pause = std::chrono::duration_cast<std::chrono::seconds>(*world.status().retry_after - world.now_);
    EXPECT_GT(pause, before);
    before = pause;
    if (attempt == 3) break;
    world.now_ = *world.status().retry_after;
    world.settle();
  }
  EXPECT_EQ(world.state("Stalled"), "True/NoProgress");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("did not admit pod fit-3-0"));
}

// Each try rents a machine that nobody trains on. An interruption between says that pods are admitted.
TEST(RejectedPod, that_is_one_each_time_is_tried_once_an_hour_in_the_end) {
  JobWorld world = with_pods();
  std::chrono::seconds pause{0};
  for (int attempt = 1; attempt <= 11; ++attempt) {
    ASSERT_EQ(world.status().attempt, attempt);
    reject(world, "fit-" + std::to_string(attempt) + "-0", "node-a");
    world.settle();
    ASSERT_TRUE(world.status().retry_after);
    pause = std::chrono::duration_cast<std::chrono::seconds>(*world.status().retry_after - world.now_);
    world.now_ = *world.status().retry_after - std::chrono::seconds(1);
    world.settle();
    ASSERT_EQ(world.status().attempt, attempt) << "not before the pause is over";
    world.now_ += std::chrono::seconds(1);
    world.settle();
  }
  EXPECT_EQ(pause, std::chrono::hours(1));
}

TEST(RejectedPod, alone_pauses_no_longer_than_any_other_end) {
  JobWorld world = with_pods();
  for (int attempt = 1; attempt <= 8; ++attempt) {
    ASSERT_EQ(world.status().attempt, attempt);
    world.schedule_all();
    world.settle();
    world.exit("fit-" + std::to_string(attempt) + "-0", 85);  // it asks to be run again
    world.settle();
    world.now_ = *world.status().retry_after;
    world.settle();
  }
  reject(world, "fit-9-0", "node-a");
  world.settle();
  EXPECT_EQ(*world.status().retry_after - world.now_, std::chrono::minutes(6));
  world.now_ = *world.status().retry_after;
  world.settle();
  reject(world, "fit-10-0", "node-a");
  world.settle();
  EXPECT_EQ(*world.status().retry_after - world.now_, std::chrono::minutes(12)) << "an hour comes after many of them";
  EXPECT_THAT(world.condition("PodsReady").message,
              HasSubstr("; the next one begins at " + kube::format_time(*world.status().retry_after) + ", or at once"));
}

TEST(RejectedPod, ends_its_peers_with_their_usual_grace) {
  JobWorld world = with_pods(2);
  world.run_on("fit-1-1", "node-b");
  reject(world, "fit-1-0", "node-a");
  world.settle();
  ASSERT_TRUE(world.has_pod("fit-1-1"));
  EXPECT_TRUE(world.pod("fit-1-1").meta.deletion_timestamp);
  EXPECT_EQ(world.status().attempt, 1);
  world.stop_deleted(143);
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
}

// A kubelet that restarts admits its running pods again; what it then rejects it kills a moment later.
TEST(RejectedPod, that_was_seen_running_is_not_proven_to_have_ended) {
  JobWorld world = with_pods();
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.lose_containers("fit-1-0", "NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_EQ(world.status().interruption_count, 1);
}

TEST(RejectedPod, of_somebody_else_does_not_hold_the_claim) {
  JobWorld world(MakeJob("fit").get());
  kube::Pod other;
  other.meta.name = "debug";
  other.meta.uid = "uid-debug";
  other.node_name = "node-z";
  other.container_names = {"shell"};
  other.phase = kube::PodPhase::Failed;
  other.reason = "OutOfpods";
  other.message = "Pod was rejected: Node didn't have enough resource: pods";
  world.foreign_claim_users_ = {std::make_shared<const kube::Pod>(other)};
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_TRUE(world.has_pod("fit-1-0"));
}

TEST(LateBinding, of_a_pod_marked_failed_takes_nothing_from_the_proof) {
  JobWorld world = with_pods(2);
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.bind_after_mark_failed("fit-1-1", "node-b");
  world.exit("fit-1-0", 1);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
  EXPECT_TRUE(world.status().members.empty()) << "no kubelet starts a pod that it first sees as Failed";
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(LateBinding, of_a_pod_that_somebody_else_called_failed_proves_nothing) {
  JobWorld world = with_pods();
  world.run_on("fit-1-0", "node-a");
  world.lose_containers("fit-1-0", "", "");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
