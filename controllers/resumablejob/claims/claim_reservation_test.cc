// No more than one of all jobs that name a claim has pods that mount it.
#include "controllers/resumablejob/claims/claim_reservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/resumablejob/pods/names.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JobWorld;
using testing::MakeJob;

template <class T>
std::vector<T> actions_of(const Plan& plan) {
  std::vector<T> found;
  for (const Action& action : plan.actions) {
    if (const auto* wanted = std::get_if<T>(&action)) found.push_back(*wanted);
  }
  return found;
}

api::ResumableJob job_on(const std::string& claim, const std::string& name) {
  api::ResumableJob job = MakeJob(name).get();
  job.spec.checkpoint.volume.claim_template.reset();
  job.spec.checkpoint.volume.claim_name = claim;
  return job;
}

std::shared_ptr<const kube::PersistentVolumeClaim> claim_of_version(const std::string& version,
                                                                    const std::string& used_by = {}) {
  kube::PersistentVolumeClaim claim;
  claim.meta.name = "data";
  claim.meta.uid = "uid-data";
  claim.meta.resource_version = version;
  claim.access_modes = {"ReadWriteMany"};
  if (!used_by.empty()) claim.meta.annotations[std::string(kUsedByAnnotation)] = used_by;
  return std::make_shared<const kube::PersistentVolumeClaim>(std::move(claim));
}

// This job has seen nothing of anybody else.
JobWorld about_to_begin(const std::string& name) {
  JobWorld world(job_on("data", name));
  world.service_ = true;
  world.claims_["data"] = claim_of_version("7");
  return world;
}

// The pass in which its attempt begins.
Plan begin(JobWorld& world) {
  Plan plan = world.reconcile();
  while (world.status().attempt == 0) plan = world.reconcile();
  return plan;
}

JobWorld begun(const std::string& name) {
  JobWorld world = about_to_begin(name);
  (void)begin(world);
  return world;
}

TEST(ClaimReservation, two_jobs_that_begin_without_having_seen_each_other_do_not_both_make_pods) {
  JobWorld first = about_to_begin("zz"), second = about_to_begin("aa");
  const Plan of_first = begin(first), of_second = begin(second);
  EXPECT_THAT(first.pods(), IsEmpty());
  EXPECT_THAT(second.pods(), IsEmpty());
  // Both ask for the same version of the claim: the API server lets one of them have it.
  ASSERT_EQ(actions_of<ReserveClaim>(of_first).size(), 1U);
  ASSERT_EQ(actions_of<ReserveClaim>(of_second).size(), 1U);
  EXPECT_EQ(actions_of<ReserveClaim>(of_first)[0].resource_version, "7");
  EXPECT_EQ(actions_of<ReserveClaim>(of_second)[0].resource_version, "7");
  first.settle();
  EXPECT_THAT(first.pods(), ElementsAre("zz-1-0"));

  second.claims_ = first.claims_;
  second.kept_claims_["data"] = why_kept(first.job_);
  second.settle();
  EXPECT_THAT(second.pods(), IsEmpty());
  EXPECT_EQ(second.state("PodsReady"), "False/ClaimInUse");
  EXPECT_THAT(second.condition("PodsReady").message, HasSubstr("ResumableJob zz"));
}

TEST(ClaimReservation, a_claim_that_is_given_up_goes_to_the_job_whose_attempt_waits_for_it) {
  JobWorld world = begun("aa");
  world.claims_["data"] = claim_of_version("8", "zz/1/uid-zz");
  world.kept_claims_["data"] = "ResumableJob zz uses the checkpoint claim";
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  world.kept_claims_.clear();
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("aa-1-0"));
  EXPECT_EQ(world.claims_["data"]->meta.annotation(kUsedByAnnotation), reservation_text(world.job_));
}

// The cache may show an older state of the other job than of the claim.
TEST(ClaimReservation, another_job_s_name_on_the_claim_is_not_replaced_in_the_pass_in_which_the_attempt_begins) {
  for (const bool trains : {false, true}) {
    JobWorld world = about_to_begin("aa");
    world.claims_["data"] = claim_of_version("8", "zz/2/uid-zz");  // the cache shows zz suspended after attempt 1
    EXPECT_THAT(actions_of<ReserveClaim>(begin(world)), IsEmpty());
    if (trains) world.kept_claims_["data"] = "ResumableJob zz trains on the checkpoint claim";  // asked live
    world.settle();
    EXPECT_EQ(world.has_pod("aa-1-0"), !trains);
  }
}

TEST(ClaimReservation, each_attempt_is_written_on_the_claim_before_its_first_pod_and_only_once) {
  JobWorld world = begun("fit");
  world.settle();
  world.schedule_all();
  world.settle();
  EXPECT_THAT(actions_of<ReserveClaim>(world.reconcile()), IsEmpty());
  world.exit("fit-1-0", 85);
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-2-0"));
  EXPECT_EQ(reservation_of(*world.claims_["data"])->attempt, 2);
}

TEST(ClaimReservation, a_pod_that_came_to_mount_the_claim_after_the_attempt_began_is_waited_for) {
  JobWorld world = begun("fit");
  auto debug = std::make_shared<kube::Pod>();
  debug->meta.name = "debug";
  debug->meta.uid = "uid-debug";
  debug->phase = kube::PodPhase::Running;
  debug->claim_names = {"data"};
  world.foreign_claim_users_ = {debug};
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_EQ(world.state("PodsReady"), "False/ClaimInUse");
  world.foreign_claim_users_.clear();
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-1-0"));
}

TEST(ClaimReservation, a_claim_that_goes_before_the_first_pod_ends_the_attempt) {
  JobWorld world = begun("fit");
  world.claims_.clear();
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
}

TEST(ClaimReservation, a_claim_that_another_one_replaces_before_the_first_pod_is_not_written_to) {
  JobWorld world = begun("fit");
  auto other = std::make_shared<kube::PersistentVolumeClaim>(*world.claims_.at("data"));
  other->meta.uid = "uid-of-another";
  other->meta.annotations.clear();
  world.claims_["data"] = other;
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
}

// Kubernetes lets a claim go while no pod that mounts it has a node.
TEST(ClaimReservation, pods_that_wait_for_a_node_do_not_come_to_run_on_another_claim_nor_wait_for_one_that_is_gone) {
  for (const bool replaced : {false, true}) {
    JobWorld world = begun("fit");
    world.settle();
    ASSERT_THAT(world.pods(), ElementsAre("fit-1-0"));
    auto other = std::make_shared<kube::PersistentVolumeClaim>(*world.claims_.at("data"));
    other->meta.uid = "uid-of-another";
    world.claims_.clear();
    if (replaced) world.claims_["data"] = other;
    world.settle();
    EXPECT_THAT(world.pods(), IsEmpty());
    world.now_ += std::chrono::minutes(1);
    world.settle();
    EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  }
}

TEST(ClaimReservation, a_job_keeps_its_claim_until_it_has_ended_or_is_suspended_and_its_pods_are_proven_to_have_ended) {
  api::ResumableJob holder = MakeJob("zz").get();
  EXPECT_THAT(why_kept(holder), HasSubstr("has ended or is suspended"));
  holder.spec.suspend = true;
  EXPECT_EQ(why_kept(holder), "");
  holder.status.members = {{.index = 0, .pod_name = "zz-1-0"}};
  EXPECT_THAT(why_kept(holder), HasSubstr("not proven to have ended"));
  holder.status.members[0].proof = api::EndProof::MachineGone;
  EXPECT_EQ(why_kept(holder), "");
}

// A person who may edit the claim may write anything there, and a job may have been given another claim since.
TEST(ClaimReservation, a_job_that_stands_on_a_claim_and_uses_another_one_keeps_it_only_while_that_attempt_may_write) {
  api::ResumableJob holder = job_on("another", "zz");
  holder.status.attempt = 3;
  holder.status.members = {{.index = 0, .pod_name = "zz-3-0"}};
  const auto kept = [&](std::int32_t attempt) {
    return why_kept(holder, {.job = "zz", .uid = holder.meta.uid, .attempt = attempt}, "data");
  };
  EXPECT_THAT(kept(3), HasSubstr("not proven to have ended"));
  EXPECT_EQ(kept(2), "") << "all of that attempt is proven to have ended";
  EXPECT_EQ(kept(999), "") << "there was never such an attempt";
  holder.status.members[0].proof = api::EndProof::KubeletReport;
  EXPECT_EQ(kept(3), "") << "it trains elsewhere from now on";
  holder.spec.checkpoint.volume.claim_name = "data";
  EXPECT_THAT(kept(2), HasSubstr("has ended or is suspended"));
}

JobWorld with_claim_that(api::WhenDeleted when_deleted) {
  api::ResumableJob job = MakeJob("fit").get();
  job.spec.checkpoint.volume.when_deleted = when_deleted;
  return JobWorld(job);
}

bool goes_with_the_namespace(const JobWorld& world) {
  return survives_its_job(world.claims_.at("fit-checkpoints")->meta);
}

bool is_controlled_claim(const JobWorld& world) {
  return is_of_job(world.claims_.at("fit-checkpoints")->meta, world.job_);
}

// The claim's reference proves whose it is, until the status knows the uid and something is saved there.
TEST(ClaimReservation, a_claim_that_is_to_outlive_its_job_is_the_job_s_until_the_first_attempt_has_it) {
  JobWorld world = with_claim_that(api::WhenDeleted::Retain);
  while (world.claims_.empty()) (void)world.reconcile();
  EXPECT_TRUE(is_controlled_claim(world));
  EXPECT_TRUE(goes_with_the_namespace(world)) << "so that it outlives a job that is deleted now";
  while (world.pods().empty()) (void)world.reconcile();
  EXPECT_FALSE(is_controlled_claim(world)) << "whoever brings it back from a copy brings back no owner that is gone";
  EXPECT_FALSE(goes_with_the_namespace(world));
  ASSERT_EQ(world.status().claims.size(), 1U);
  EXPECT_EQ(world.status().claims[0].uid, world.claims_.at("fit-checkpoints")->meta.uid);
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-1-0"));
}

TEST(ClaimReservation, a_claim_that_is_to_go_with_its_job_stays_the_job_s) {
  JobWorld world = with_claim_that(api::WhenDeleted::Delete);
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-1-0"));
  EXPECT_TRUE(is_controlled_claim(world));
  EXPECT_FALSE(goes_with_the_namespace(world));
  // Somebody has thought better of it: the next attempt lets it go.
  world.job_.spec.checkpoint.volume.when_deleted = api::WhenDeleted::Retain;
  world.schedule_all();
  world.settle();
  world.exit("fit-1-0", 85);
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_THAT(world.pods(), ElementsAre("fit-2-0"));
  EXPECT_FALSE(is_controlled_claim(world));
}

TEST(ClaimReservation, what_stands_on_a_claim_reads_back_and_anything_else_is_nobody_s) {
  api::ResumableJob job = MakeJob("fit").get();
  job.status.attempt = 12;
  const auto found = reservation_of(*claim_of_version("1", reservation_text(job)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, "fit");
  EXPECT_EQ(found->uid, job.meta.uid);
  EXPECT_EQ(found->attempt, 12);
  for (const char* text : {"", "fit", "fit/1", "/1/uid", "fit/1/", "../1/uid", "fit/1/a,b"}) {
    EXPECT_FALSE(reservation_of(*claim_of_version("1", text))) << text;
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
