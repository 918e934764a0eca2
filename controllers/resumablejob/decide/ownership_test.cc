// A job believes in objects that it controls, by its uid and in its namespace. Labels and names find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "controllers/resumablejob/decide/decide.h"
#include "controllers/resumablejob/decide/phases.h"
#include "controllers/resumablejob/testing/cached_job.h"

namespace reprise::controllers::resumablejob {
namespace {

using testing::CachedJob;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Forgery {
  const char* what;
  std::function<void(kube::ObjectMeta&)> change;
};

// Ways in which an object that bears the job's name and all its labels is not the job's.
const std::vector<Forgery>& forgeries() {
  static const std::vector<Forgery> all{
      {"another namespace", [](kube::ObjectMeta& meta) { meta.namespace_ = "elsewhere"; }},
      {"no reference", [](kube::ObjectMeta& meta) { meta.owner_references = {}; }},
      {"an owner that does not control it",
       [](kube::ObjectMeta& meta) { meta.owner_references.front().controller = false; }},
      {"another uid under the job's name",
       [](kube::ObjectMeta& meta) { meta.owner_references.front().uid = "former"; }},
      {"an empty uid", [](kube::ObjectMeta& meta) { meta.owner_references.front().uid = {}; }},
      {"another kind", [](kube::ObjectMeta& meta) { meta.owner_references.front().kind = "Job"; }},
      {"another group", [](kube::ObjectMeta& meta) { meta.owner_references.front().api_version = "batch/v1"; }},
      {"another controller beside the job",
       [](kube::ObjectMeta& meta) {
         meta.owner_references.front().controller = false;
         kube::OwnerReference other = meta.owner_references.front();
         other.kind = "ReplicaSet";
         other.uid = "set";
         other.controller = true;
         meta.owner_references.push_back(other);
       }},
  };
  return all;
}

kube::Pod forged(const CachedJob& world, const std::string& name, const Forgery& forgery) {
  kube::Pod pod = world.pod(name, "node-a");
  forgery.change(pod.meta);
  return pod;
}

void end_well(kube::Pod& pod) {
  kube::ContainerStatus ended;
  ended.name = "trainer";
  ended.state = kube::ContainerStateKind::Terminated;
  ended.exit_code = 0;
  pod.container_statuses = {ended};
  pod.phase = kube::PodPhase::Succeeded;
}

std::vector<std::string> deleted_pods(const Plan& plan) {
  std::vector<std::string> names;
  for (const Action& action : plan.actions)
    if (const auto* remove = std::get_if<DeletePod>(&action)) names.push_back(remove->name);
  return names;
}

TEST(Ownership, a_pod_with_a_rank_s_name_is_no_rank_whatever_its_labels_say) {
  for (const Forgery& forgery : forgeries()) {
    CachedJob world;
    world.begin(1);
    kube::Pod pod = forged(world, "fit-1-0", forgery);
    end_well(pod);
    CachedJob::show(world.pods, pod);
    const auto ranks = world.look();
    EXPECT_EQ(ranks[0].state, RankState::NotCreated) << forgery.what;
    EXPECT_EQ(ranks[0].memory.pod_uid, "") << forgery.what;
  }
  CachedJob world;
  world.begin(1);
  kube::Pod own = world.pod("fit-1-0", "node-a");
  end_well(own);
  CachedJob::show(world.pods, own);
  EXPECT_EQ(world.look()[0].state, RankState::Succeeded);
}

TEST(Ownership, a_pod_of_another_attempt_or_a_standby_pod_is_deleted_only_if_it_is_the_job_s) {
  const auto deleted = [](const std::function<void(kube::Pod&)>& change) {
    CachedJob world;
    CachedJob::show(world.pools, *controllers::testing::MakePool("t4").get());
    world.job.spec.suspend = true;
    for (const char* name : {"fit-999-0", "fit-1-0-standby"}) {
      kube::Pod pod = world.pod(name, "node-a");
      pod.meta.labels[std::string(kAttemptLabel)] = "999";
      if (std::string_view(name).ends_with("standby")) pod.meta.labels = {{std::string(kStandbyLabel), "1"}};
      change(pod);
      CachedJob::show(world.pods, pod);
    }
    return deleted_pods(decide(world.see(), Settings{}));
  };
  EXPECT_THAT(deleted([](auto&) {}), ::testing::UnorderedElementsAre("fit-999-0", "fit-1-0-standby"));
  for (const Forgery& forgery : forgeries())
    EXPECT_THAT(deleted([&](kube::Pod& pod) { forgery.change(pod.meta); }), IsEmpty()) << forgery.what;
}

TEST(Ownership, a_pod_that_only_the_api_server_shows_is_waited_for_only_if_it_is_the_job_s) {
  for (const char* controller : {"true", "false"}) {
    CachedJob world;
    world.begin(1);
    world.api.objects["Pod/fit-1-0"] =
        R"({"metadata":{"name":"fit-1-0","namespace":"vision","uid":"u","labels":{"reprise.dev/job-uid":"uid-fit"},)"
        R"("ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":"fit","uid":"uid-fit",)"
        R"("controller":)" +
        std::string(controller) + "}]}}";
    if (controller == std::string_view("true")) {
      EXPECT_THROW((void)world.look(false), std::runtime_error);
    } else {
      EXPECT_EQ(world.look(false)[0].state, RankState::NotCreated) << "it must not hold the job up";
    }
  }
}

TEST(Ownership, the_scheduler_s_word_about_a_stranger_under_a_rank_s_name_is_not_about_the_rank) {
  const auto state = [](const std::string& about, bool is_cached) {
    CachedJob world;
    world.begin(1);
    kube::Pod stranger = world.pod("fit-1-0", "node-z");
    stranger.meta.owner_references = {};
    if (is_cached) CachedJob::show(world.pods, stranger);
    world.api.objects["Pod/fit-1-0"] =
        R"({"metadata":{"name":"fit-1-0","namespace":"vision","uid":"uid-of-fit-1-0"},"spec":{},"status":{}})";
    world.api.lists["Event"] =
        R"({"metadata":{"name":"e","creationTimestamp":"2026-11-21T09:00:00Z"},"reason":"Scheduled",)"
        R"("involvedObject":{"kind":"Pod","name":"fit-1-0","uid":")" +
        about + R"("},"message":"Successfully assigned vision/fit-1-0 to node-z"})";
    return world.look(false)[0].state;
  };
  for (const bool is_cached : {true, false}) {
    EXPECT_EQ(state("uid-of-fit-1-0", is_cached), RankState::NotCreated) << is_cached;
    EXPECT_EQ(state("", is_cached), RankState::NotCreated) << "who says so says of nobody";
    EXPECT_EQ(state("uid-gone", is_cached), RankState::Vanished) << "the rank's own may have come before";
  }
}

// The end of such a rank alone lets the next attempt write.
TEST(Ownership, a_rank_whose_reference_was_taken_off_stays_the_rank_that_was_recorded) {
  CachedJob world;
  world.begin(1);
  world.job.status.members[0].pod_uid = "uid-of-fit-1-0";
  kube::Pod pod = world.pod("fit-1-0", "node-a");
  pod.meta.owner_references = {};
  pod.meta.labels = {};
  CachedJob::show(world.pods, pod);
  EXPECT_EQ(world.look()[0].state, RankState::Pending);
  pod.meta.uid = "another";
  CachedJob::show(world.pods, pod);
  EXPECT_EQ(world.look()[0].state, RankState::Vanished);
}

TEST(Ownership, whoever_mounts_the_claim_uses_it_whatever_the_pod_says_of_itself) {
  const auto why_taken = [](const std::string& name, const std::function<void(kube::Pod&)>& change) {
    CachedJob world;
    world.begin(1);
    kube::Pod pod = world.pod(name, "node-a");
    pod.claim_names = {"fit-checkpoints"};
    pod.phase = kube::PodPhase::Running;
    change(pod);
    CachedJob::show(world.pods, pod);
    return why_claims_are_taken(world.see());
  };
  EXPECT_EQ(why_taken("fit-1-0", [](auto&) {}), "") << "the attempt's own rank";
  EXPECT_THAT(why_taken("debug", [](kube::Pod& pod) { pod.meta.labels = {}; }), HasSubstr("pod debug mounts"));
  EXPECT_THAT(why_taken("debug", [](auto&) {}), HasSubstr("pod debug mounts")) << "a copy, with its reference";
  for (const Forgery& forgery : forgeries()) {
    const std::string why = why_taken("fit-1-0", [&](kube::Pod& pod) { forgery.change(pod.meta); });
    if (forgery.what == std::string_view("another namespace")) {
      EXPECT_EQ(why, "") << "a claim of that name is another one there";
    } else {
      EXPECT_THAT(why, HasSubstr("pod fit-1-0 mounts")) << forgery.what;
    }
  }
}

TEST(Ownership, a_service_of_the_job_s_name_serves_only_if_it_is_the_job_s) {
  const auto exists = [](const std::function<void(kube::ObjectMeta&)>& change) {
    CachedJob world;
    kube::Service service;
    service.meta.name = service_name("fit");
    service.meta.namespace_ = "vision";
    service.meta.labels = {{std::string(kJobUidLabel), "uid-fit"}};
    service.meta.owner_references = {kube::owner_reference(world.job)};
    change(service.meta);
    CachedJob::show(world.services, service);
    return world.see().service_exists;
  };
  EXPECT_TRUE(exists([](auto&) {}));
  for (const Forgery& forgery : forgeries()) EXPECT_FALSE(exists(forgery.change)) << forgery.what;
}

kube::PersistentVolumeClaim claim_of_the_job_s_name(const CachedJob& world) {
  kube::PersistentVolumeClaim claim;
  claim.meta.name = "fit-checkpoints";
  claim.meta.namespace_ = "vision";
  claim.meta.uid = "uid-claim";
  claim.meta.labels = {{std::string(kJobLabel), "fit"}, {std::string(kJobUidLabel), "uid-fit"}};
  claim.meta.owner_references = {kube::owner_reference(world.job)};
  claim.access_modes = {"ReadWriteMany"};
  return claim;
}

TEST(Ownership, a_claim_of_the_job_s_name_is_used_only_if_the_job_controls_it_whatever_its_labels_say) {
  const auto stalled = [](const std::function<void(kube::ObjectMeta&)>& change) {
    CachedJob world;
    CachedJob::show(world.pools, *controllers::testing::MakePool("t4").get());
    kube::PersistentVolumeClaim claim = claim_of_the_job_s_name(world);
    change(claim.meta);
    CachedJob::show(world.claims, claim);
    const Plan plan = decide(world.see(), Settings{});
    const bool recorded = !plan.status.claims.empty();
    for (const kube::Condition& each : plan.status.conditions)
      if (each.type == "Stalled" && each.status == kube::ConditionStatus::True)
        return std::string(each.reason) + (recorded ? ", and recorded" : "");
    return std::string(recorded ? "recorded" : "");
  };
  EXPECT_EQ(stalled([](auto&) {}), "recorded");
  for (const Forgery& forgery : forgeries()) {
    const bool elsewhere = forgery.what == std::string_view("another namespace");
    EXPECT_EQ(stalled(forgery.change), elsewhere ? "" : "ClaimExists") << forgery.what;
  }
}

TEST(Ownership, a_claim_that_nobody_else_controls_is_used_where_the_job_names_it_by_its_uid) {
  CachedJob world;
  kube::ObjectMeta claim = claim_of_the_job_s_name(world).meta;
  claim.owner_references = {};
  const auto accepted = [&](const char* uids) {
    world.job.meta.annotations = {{std::string(kAcceptClaimsAnnotation), uids}};
    return is_claim_for_job(claim, world.job);
  };
  for (const char* uids : {"uid-claim", "x,uid-claim", "uid-claim,x", "x,uid-claim,y"}) EXPECT_TRUE(accepted(uids));
  for (const char* uids : {"", ",", "uid", "uid-claims", "x,uid-clai", "fit-checkpoints"}) EXPECT_FALSE(accepted(uids));
  claim.owner_references = {kube::owner_reference(world.job)};
  claim.owner_references.front().uid = "former";
  EXPECT_FALSE(accepted("uid-claim")) << "it goes with somebody else";
  claim.owner_references = {};
  claim.uid = {};
  EXPECT_FALSE(accepted("")) << "no uid is not one";
}

// A person who may write Events in a namespace may say that a pod which never was runs on any node.
TEST(Ownership, an_event_alone_ends_no_machine_on_which_others_train) {
  const auto ended = [](const std::function<void(kube::Pod&)>& other) {
    CachedJob world;
    CachedJob::show(world.pools, *controllers::testing::MakePool("t4").get());
    CachedJob::show(world.nodes, *controllers::testing::MakeNode("node-z").get());
    CachedJob::show(world.node_claims, *controllers::testing::MakeNodeClaim("claim-z", "node-z").get());
    CachedJob::show(world.node_pools, *controllers::testing::make_node_pool());
    world.api.objects["Node/node-z"] =
        R"({"metadata":{"name":"node-z","uid":"uid-node-z"},"spec":{"providerID":"kwok://node-z"},)"
        R"("status":{"nodeInfo":{"bootID":"boot-node-z"}}})";
    kube::Pod victim = world.pod("other-1-0", "node-z");
    victim.meta.namespace_ = "elsewhere";
    victim.resource_requests = {{"nvidia.com/gpu", "1"}};
    victim.phase = kube::PodPhase::Running;
    other(victim);
    CachedJob::show(world.pods, victim);
    world.begin(1);
    api::RankStatus& rank = world.job.status.members[0];
    rank.pod_uid = "uid-forged";
    rank.node_name = "node-z";
    rank.node_uid = "uid-node-z";
    rank.provider_id = "kwok://node-z";
    rank.node_claim_name = "claim-z";
    rank.node_claim_uid = "uid-claim-z";
    world.job.status.attempt_end = api::AttemptEnd{.attempt = 1,
                                                   .cause = api::AttemptEndCause::Interruption,
                                                   .reason = "PodDeleted",
                                                   .message = "gone",
                                                   .node = {},
                                                   .time = controllers::testing::kStart,
                                                   .deadline = {}};
    const Plan plan = decide(world.see(), Settings{});
    return std::ranges::any_of(plan.actions,
                               [](const Action& a) { return std::holds_alternative<DeleteNodeClaim>(a); });
  };
  EXPECT_FALSE(ended([](auto&) {}));
  EXPECT_TRUE(ended([](kube::Pod& other) { other.phase = kube::PodPhase::Succeeded; }));
  EXPECT_TRUE(ended([](kube::Pod& other) { other.meta.namespace_ = "vision"; })) << "the job's own namespace";
  EXPECT_TRUE(ended([](kube::Pod& other) { other.resource_requests = {}; })) << "a log collector";
  EXPECT_TRUE(ended([](kube::Pod& other) { other.node_name = "node-y"; }));
  EXPECT_TRUE(ended([](kube::Pod& other) {
    other.meta.labels = {{"reprise.dev/warm", "t4"}};
    other.meta.owner_references = {kube::owner_reference(*controllers::testing::MakePool("t4").get())};
  })) << "it keeps a GPU of the pool ready, and nobody trains there";
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
