// The meaning of one rank's end while its peers run, or end as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using controllers::testing::to_next_attempt;

TEST(GangEnd, of_one_rank_with_0_does_not_complete_a_gang) {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "False/NotFinished");
  EXPECT_EQ(world.status().attempt, 1);
  world.exit("fit-1-1", 0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
  EXPECT_TRUE(world.status().completion_time);
  EXPECT_TRUE(world.has_pod("fit-1-0")) << "the pods of a finished job stay for their logs";
}

TEST(GangEnd, ranks_that_finished_while_a_peer_is_interrupted_do_not_complete_the_job) {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 0);
  world.settle();
  world.delete_node_claim("node-of-fit-1-1");
  to_next_attempt(world);
  EXPECT_EQ(world.state("Complete"), "False/NotFinished");
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(GangEnd, of_a_rank_that_a_lost_peer_explains_is_no_failure) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.exit("fit-1-1", 1);  // its collective broke
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(GangEnd, of_a_rank_that_failed_before_its_peer_s_node_was_known_to_be_gone_becomes_an_interruption) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);
  world.settle();
  EXPECT_EQ(world.status().attempt_end->cause, api::AttemptEndCause::ApplicationFailure);
  world.remove_node_claim("node-of-fit-1-0");
  world.force_remove("fit-1-0");
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(GangEnd, of_a_rank_whose_peer_s_end_nobody_but_a_person_could_tell_is_an_interruption) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);  // its collective broke: the machine of rank 0 had gone, and no NodeClaim says so
  world.settle();
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.job_.meta.annotations["reprise.dev/confirm-ended"] = "uid-node-of-fit-1-0/1";
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().failures, 0);
}

// The taint manager deletes the pod on a silent node; its trainer runs on there, loses its stopped peer and fails.
TEST(GangEnd, of_a_rank_whose_peer_was_stopped_for_its_sake_is_no_failure) {
  JobWorld world = running_job(2);
  world.node_ready("node-of-fit-1-1", "Unknown");
  world.pods_.at("fit-1-1").meta.deletion_timestamp = world.now_ + std::chrono::seconds(120);
  world.settle();
  const kube::Pod silent = world.pod("fit-1-1");
  world.pods_.erase("fit-1-1");
  world.stop_deleted(143);
  world.pods_["fit-1-1"] = silent;
  world.settle();
  world.node_ready("node-of-fit-1-1", "True");
  world.stop_deleted(1, R"({"attempt":1,"index":1,"exitCode":1,"asked":false,"step":5,"durable":true})");
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(GangEnd, of_a_rank_that_fails_and_takes_its_peers_along_counts_once) {
  JobWorld world = running_job(3);
  world.exit("fit-1-1", 1);
  world.settle();
  world.stop_deleted(1);
  to_next_attempt(world);
  EXPECT_EQ(world.status().failures, 1);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.status().attempt, 2);
}

// The kubelet of a machine that restarted knows no more than that the container is gone: containerd calls it Unknown.
TEST(GangEnd, of_a_rank_that_failed_before_its_peer_s_machine_was_known_to_have_restarted_becomes_an_interruption) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);
  world.settle();
  ASSERT_EQ(world.status().attempt_end->cause, api::AttemptEndCause::ApplicationFailure);
  world.exit("fit-1-0", 255);
  world.pods_.at("fit-1-0").container_statuses[0].reason = "Unknown";
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().attempt, 2);
}

// Karpenter, a cluster autoscaler: a node is idle once its rank has ended, however long the others take to save.
TEST(GangEnd, of_a_rank_whose_peer_s_node_was_scaled_down_when_that_had_ended_is_a_failure) {
  const std::vector<std::function<void(JobWorld&)>> ways{
      [](JobWorld& world) { world.delete_node_claim("node-of-fit-1-2"); },
      [](JobWorld& world) { world.taint("node-of-fit-1-2", "ToBeDeletedByClusterAutoscaler"); },
      [](JobWorld& world) { world.remove_node_claim("node-of-fit-1-2"); }};
  for (const auto& goes : ways) {
    JobWorld world = running_job(3);
    world.exit("fit-1-1", 1);
    world.settle();
    world.exit("fit-1-2", 143);  // asked to stop
    world.settle();
    ASSERT_TRUE(world.status().attempt_end) << "rank 0 still saves";
    world.now_ += std::chrono::seconds(60);
    goes(world);
    world.settle();
    to_next_attempt(world);
    EXPECT_EQ(world.status().failures, 1);
    EXPECT_EQ(world.status().interruption_count, 0);
    EXPECT_EQ(world.status().attempt, 2);
  }
}

// The same holds for its own node: 137 looks like an answer to the stop of its peers.
TEST(GangEnd, of_a_rank_whose_own_node_was_scaled_down_when_it_had_ended_is_a_failure) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 137);
  world.settle();
  world.now_ += std::chrono::seconds(60);
  world.remove_node_claim("node-of-fit-1-1");
  world.settle();
  to_next_attempt(world);
  EXPECT_EQ(world.status().failures, 1);
  EXPECT_EQ(world.status().interruption_count, 0);
}

// A peer's state counts as it is seen while the peer ends, however long another one takes then.
TEST(GangEnd, of_a_rank_that_a_lost_peer_explains_is_no_failure_although_a_third_ends_late) {
  JobWorld world = running_job(3);
  world.exit("fit-1-1", 1);
  world.settle();
  world.node_ready("node-of-fit-1-2", "False");
  world.nodes_.at("node-of-fit-1-2").conditions[0].message = "node is shutting down";
  world.exit("fit-1-2", 143);
  world.settle();
  world.node_ready("node-of-fit-1-2", "Unknown");
  world.now_ += std::chrono::seconds(60);
  to_next_attempt(world);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(std::ranges::count(world.announced_, "PodFailed", &Announcement::reason), 1) << "and nothing of a stop";
}

// A pod that is deleted before its containers ran: the kubelet says so of it on a sound node.
TEST(GangEnd, of_a_rank_whose_peer_had_not_started_yet_is_a_failure) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);
  world.settle();
  world.exit("fit-1-0", 137);
  world.pods_.at("fit-1-0").container_statuses[0].reason = "ContainerStatusUnknown";
  to_next_attempt(world);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.status().failures, 1);
}

// Nobody has interrupted it: whether the other rank failed by itself is what its agent says.
TEST(GangEnd, of_a_rank_beside_one_that_asked_to_run_again_is_a_failure_unless_it_was_asked_to_stop) {
  const std::vector<std::pair<std::string, std::int32_t>> records{
      {R"({"attempt":1,"index":1,"exitCode":1,"asked":true})", 0},
      {R"({"attempt":1,"index":1,"exitCode":1,"asked":false})", 1},
      {"", 1}};
  for (const auto& [record, failures] : records) {
    JobWorld world = running_job(2);
    world.exit("fit-1-0", 85);
    world.settle();
    world.stop_deleted(1, record);
    to_next_attempt(world);
    EXPECT_EQ(world.status().failures, failures) << record;
    EXPECT_EQ(world.status().attempt, 2);
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
