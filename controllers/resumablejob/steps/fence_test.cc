// Never two attempts writing to one volume: nothing of the next attempt exists before each rank is proven ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::MakeNode;
using controllers::testing::running_job;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Fence, a_forced_deletion_is_no_proof_and_has_the_node_ended) {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("reprise.dev/confirm-ended=uid-node-of-fit-1-0/1"));
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0")) << "asked once";
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().interruption_count, 1);
}

TEST(Fence, a_forced_deletion_seen_only_after_a_restart_is_no_proof_either) {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.forget_deleted_pods();
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, a_node_claim_that_nobody_serves_any_more_is_no_proof) {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.settle();
  world.node_claims_served_ = false;
  world.remove_node_claim("node-of-fit-1-0");
  world.now_ += std::chrono::hours(48);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("the cluster does not serve NodeClaims"));
  world.node_claims_served_ = true;
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "served again, and it is gone";
}

TEST(Fence, a_machine_bound_while_node_claims_are_not_served_is_known_by_its_node_s_owner) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.node_claims_.clear();
  world.node_claims_served_ = false;
  world.nodes_.at("node-of-fit-1-0").meta.owner_references = {
      {.api_version = "karpenter.sh/v1", .kind = "NodeClaim", .name = "claim-a", .uid = "uid-claim-a"}};
  world.settle();
  ASSERT_EQ(world.status().members.size(), 1U);
  EXPECT_EQ(world.status().members[0].node_claim_uid, "uid-claim-a");
  world.remove_node("node-of-fit-1-0");
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.node_claims_served_ = true;
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, a_node_claim_learnt_from_the_node_is_asked_for_before_its_absence_counts) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.node_claims_.clear();  // not shown yet
  world.nodes_.at("node-of-fit-1-0").meta.owner_references = {
      {.api_version = "karpenter.sh/v1", .kind = "NodeClaim", .name = "claim-a", .uid = "uid-claim-a"}};
  world.reconcile();
  EXPECT_EQ(world.status().members[0].node_claim_uid, "uid-claim-a");
  EXPECT_FALSE(world.status().attempt_end);
}

TEST(Fence, a_node_claim_that_goes_alone_is_no_proof_while_its_node_is_there) {
  JobWorld world = running_job();
  world.node_claims_.clear();
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  world.node_ready("node-of-fit-1-0", "Unknown");  // cut off from the API server, and training
  world.now_ += std::chrono::hours(48);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("is gone, and its Node is not"));
  world.remove_node("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, a_node_claim_that_goes_alone_interrupts_nobody_while_its_node_answers) {
  JobWorld world = running_job(2);
  world.node_claims_.clear();
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_EQ(world.status().interruption_count, 0);
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.settle();
  EXPECT_EQ(world.status().interruption_count, 1);
}

TEST(Fence, node_claims_that_are_not_served_interrupt_nobody) {
  JobWorld world = running_job(2);
  world.node_claims_served_ = false;
  world.node_claims_.clear();
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_EQ(world.status().interruption_count, 0);
}

TEST(Fence, a_deleted_node_object_is_no_proof_while_its_node_claim_stands) {
  JobWorld world = running_job();
  world.remove_node("node-of-fit-1-0");
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.now_ += std::chrono::hours(48);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1) << "no timeout is a proof";
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, another_node_claim_for_a_node_of_the_same_name_is_no_excuse) {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.settle();
  world.remove_node_claim("node-of-fit-1-0");
  world.nodes_["node-of-fit-1-0"] = *MakeNode("node-of-fit-1-0")
                                         .with([](auto& n) {
                                           n.meta.uid = "uid-second-life";
                                           n.boot_id = "boot-second-life";
                                           n.provider_id = "kwok://second-life";
                                         })
                                         .get();
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "the machine of the first claim is gone, whoever took its name";
}

TEST(Fence, a_pod_failed_by_the_control_plane_without_container_ends_is_not_ended) {
  JobWorld world = running_job();
  world.pods_.at("fit-1-0").phase = kube::PodPhase::Failed;
  world.pods_.at("fit-1-0").conditions = {{"DisruptionTarget", "True", "DeletionByPodGC", ""}};
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.status().interruption_count, 1);
  EXPECT_EQ(world.status().failures, 0);
}

TEST(Fence, a_silent_node_is_asked_to_go_and_waited_for) {
  JobWorld world = running_job(2);
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.pods_.at("fit-1-0").meta.deletion_timestamp = world.now_ + std::chrono::seconds(30);  // taint manager
  world.settle();
  EXPECT_TRUE(world.pod("fit-1-1").meta.deletion_timestamp);
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0"));
  world.pods_.at("fit-1-1").meta.deletion_timestamp = world.now_;
  // the healthy peer ends properly; the silent one says nothing
  kube::Pod silent = world.pods_.at("fit-1-0");
  world.pods_.erase("fit-1-0");
  world.stop_deleted(143);
  world.pods_["fit-1-0"] = silent;
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "the object that is left of the pod writes nothing";
}

TEST(Fence, a_kubelet_that_outlives_its_deadline_in_silence_is_treated_as_silent) {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.node_claims_.at("node-of-fit-1-0").meta.deletion_timestamp.reset();
  world.nodes_.at("node-of-fit-1-0").taints.push_back({"karpenter.sh/disrupted", "", "NoSchedule"});
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
  world.now_ = *world.pod("fit-1-0").meta.deletion_timestamp + std::chrono::seconds(30);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0"));
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Fence, a_person_s_confirmation_counts_for_the_very_machine_only) {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.job_.meta.annotations["reprise.dev/confirm-ended"] = "uid-of-another-node/1, uid-node-of-fit-1-0/7";
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.job_.meta.annotations["reprise.dev/confirm-ended"] = "uid-of-another-node/1, uid-node-of-fit-1-0/1";
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, the_out_of_service_taint_is_a_person_s_confirmation) {
  JobWorld world = running_job();
  world.nodes_.at("node-of-fit-1-0")
      .taints.push_back({"node.kubernetes.io/out-of-service", "nodeshutdown", "NoExecute"});
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, without_a_node_claim_a_new_boot_of_the_machine_proves_the_end) {
  JobWorld world(MakeJob("fit")
                     .with([](auto& j) {
                       j.spec.pool_name = "";
                       j.spec.pod_template.containers[0].limits = {};
                     })
                     .get());
  world.settle();
  world.run_on("fit-1-0", "metal-a");
  world.node_claims_.clear();
  world.settle();
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.nodes_.at("metal-a").boot_id = "boot-after-power-loss";
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, a_pod_that_was_never_bound_has_nothing_to_prove) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Fence, a_pod_that_vanished_unseen_before_its_node_was_recorded_waits_for_the_scheduler_s_event_or_a_person) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.force_remove("fit-1-0");
  world.forget_deleted_pods();
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("vanished before its node was recorded"));
  world.scheduled_["fit-1-0"] = {world.status().members[0].pod_uid, "node-x"};
  world.settle();
  EXPECT_EQ(world.status().attempt, 1) << "no cache shows node-x, but a cache may be late";
  world.absent_nodes_ = {"node-x"};
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "the API server knows neither node-x nor a NodeClaim for it";
}

TEST(Fence, a_pod_whose_init_container_failed_never_starts_its_trainer) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.run_on("fit-1-0", "node-a");
  kube::Pod& pod = world.pods_.at("fit-1-0");
  kube::ContainerStatus init;
  init.name = "fetch-data";
  init.init = true;
  init.state = kube::ContainerStateKind::Terminated;
  init.exit_code = 3;
  pod.init_container_names = {"fetch-data"};
  pod.container_statuses[0].state = kube::ContainerStateKind::Waiting;
  pod.container_statuses.insert(0, init);
  pod.phase = kube::PodPhase::Failed;
  world.settle();
  EXPECT_EQ(world.status().failures, 1);
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_TRUE(world.status().retry_after);
}

TEST(Fence, whoever_else_mounts_the_claim_is_waited_for) {
  JobWorld world(MakeJob("fit").get());
  auto debug = std::make_shared<kube::Pod>();
  debug->meta.name = "debug";
  debug->meta.uid = "uid-debug";
  debug->phase = kube::PodPhase::Running;
  debug->container_names = {"shell"};
  debug->claim_names = {"fit-checkpoints"};
  world.foreign_claim_users_ = {debug};
  world.settle();
  EXPECT_EQ(world.status().attempt, 0);
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("pod debug"));
  world.foreign_claim_users_.clear();
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Fence, one_proven_rank_of_two_is_not_enough) {
  JobWorld world = running_job(2);
  world.force_remove("fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.status().members[1].proof, api::EndProof::KubeletReport);
  EXPECT_EQ(world.status().members[0].proof, api::EndProof::None);
}

TEST(Fence, a_node_that_no_cache_shows_yet_is_late_and_not_lost) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.run_on("fit-1-0", "node-a");
  world.nodes_.clear();
  world.node_claims_.clear();
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_FALSE(world.status().attempt_end);
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
}

TEST(Fence, containers_that_ended_are_no_proof_while_the_kubelet_may_start_them_again) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 1);
  world.pods_.at("fit-1-0").phase = kube::PodPhase::Running;
  world.settle();
  ASSERT_FALSE(world.status().members.empty());
  EXPECT_EQ(world.status().members[0].proof, api::EndProof::None);
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Fence, a_person_s_confirmation_of_one_attempt_says_nothing_about_the_next_on_that_machine) {
  JobWorld world = running_job();
  world.job_.meta.annotations["reprise.dev/confirm-ended"] = "uid-node-of-fit-1-0/1";
  world.force_remove("fit-1-0");
  world.settle();
  ASSERT_EQ(world.status().attempt, 2);
  world.run_on("fit-2-0", "node-of-fit-1-0");
  world.settle();
  world.force_remove("fit-2-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
}

TEST(Fence, a_pod_made_by_a_process_that_died_and_gone_since_is_known_by_the_scheduler_s_event) {
  JobWorld world(MakeJob("fit").get());
  while (world.status().attempt == 0) world.reconcile();
  world.scheduled_["fit-1-0"] = {"uid-of-the-unseen", "node-x"};
  world.settle();
  EXPECT_THAT(world.pods(), Not(Contains("fit-1-0"))) << "the same attempt is not run twice";
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Fence, another_job_s_unproven_pod_on_the_same_claim_is_waited_for_whatever_stands_on_the_claim) {
  JobWorld world(MakeJob("fit").get());
  api::ResumableJob elder = MakeJob("elder").get();
  elder.status.members = {{.index = 0, .pod_name = "elder-1-0", .pod_uid = "uid-elder-1-0"}};
  world.conflicting_jobs_ = {std::make_shared<const api::ResumableJob>(elder)};
  world.settle();
  EXPECT_EQ(world.status().attempt, 0);
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("ResumableJob elder"));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
