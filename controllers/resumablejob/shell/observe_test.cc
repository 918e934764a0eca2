// Requests to the API server itself, made because a cache may be behind.
#include "controllers/resumablejob/shell/observe.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "controllers/resumablejob/testing/cached_job.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::MakeNode;
using controllers::testing::MakeNodeClaim;
using testing::CachedJob;

kube::Node earlier_machine() {
  return *MakeNode("ip-10-0-0-7").get();
}
constexpr const char* kNewMachine =
    R"({"metadata":{"name":"ip-10-0-0-7","uid":"uid-new"},"spec":{"providerID":"kwok://new"},)"
    R"("status":{"nodeInfo":{"bootID":"boot-new"}}})";

TEST(Observe, a_machine_s_identity_is_taken_from_the_api_server_when_a_node_s_name_is_used_again) {
  CachedJob world;
  world.begin(1);
  CachedJob::show(world.nodes, earlier_machine());
  CachedJob::show(world.node_claims, *MakeNodeClaim("claim-old", "ip-10-0-0-7").get());
  world.api.objects["Node/ip-10-0-0-7"] = kNewMachine;
  CachedJob::show(world.pods, world.pod("fit-1-0", "ip-10-0-0-7"));
  const auto ranks = world.look();
  EXPECT_EQ(ranks[0].memory.node_uid, "uid-new");
  EXPECT_EQ(ranks[0].memory.provider_id, "kwok://new");
  EXPECT_EQ(ranks[0].memory.node_claim_uid, "") << "the claim in the cache is of the earlier machine";
}

TEST(Observe, a_cache_that_is_behind_does_not_prove_that_a_machine_is_gone) {
  CachedJob world;
  world.begin(1);
  CachedJob::show(world.nodes, earlier_machine());
  world.api.objects["Node/ip-10-0-0-7"] = kNewMachine;
  kube::Pod pod = world.pod("fit-1-0", "ip-10-0-0-7");
  kube::ContainerStatus running;
  running.name = "trainer";
  running.state = kube::ContainerStateKind::Running;
  pod.phase = kube::PodPhase::Running;
  pod.container_statuses = {running};
  CachedJob::show(world.pods, pod);
  EXPECT_EQ(world.look()[0].memory.boot_id, "boot-new");
  const auto again = world.look();  // the cache still shows the earlier machine
  EXPECT_EQ(again[0].memory.boot_id, "boot-new");
  EXPECT_FALSE(again[0].signal) << again[0].signal->message;
  EXPECT_EQ(again[0].state, RankState::Running);
}

TEST(Observe, a_node_that_the_cache_does_not_show_is_asked_for_before_it_counts_as_gone) {
  CachedJob world;
  world.begin(1);
  api::RankStatus& recorded = world.job.status.members[0];
  recorded.pod_uid = "uid-of-fit-1-0";
  recorded.node_name = "ip-10-0-0-7";
  recorded.node_uid = "uid-new";
  CachedJob::show(world.pods, world.pod("fit-1-0", "ip-10-0-0-7"));
  world.api.objects["Node/ip-10-0-0-7"] = kNewMachine;
  EXPECT_FALSE(world.look()[0].signal);
  world.api.objects.clear();
  EXPECT_TRUE(world.look()[0].signal) << "the API server does not know it either";
}

TEST(Observe, asks_nothing_about_a_machine_that_is_as_it_was_recorded) {
  CachedJob world;
  world.begin(1);
  CachedJob::show(world.nodes, earlier_machine());
  world.api.objects["Node/ip-10-0-0-7"] =
      R"({"metadata":{"name":"ip-10-0-0-7","uid":"uid-ip-10-0-0-7"},"spec":{"providerID":"kwok://ip-10-0-0-7"},)"
      R"("status":{"nodeInfo":{"bootID":"boot-ip-10-0-0-7"}}})";
  CachedJob::show(world.pods, world.pod("fit-1-0", "ip-10-0-0-7"));
  (void)world.look();
  const std::size_t asked = world.api.requests.size();
  EXPECT_EQ(asked, 1U) << "once, at the binding";
  (void)world.look();
  EXPECT_EQ(world.api.requests.size(), asked);
}

// Between two attempts: the scheduler would bind the next one to the machine that is being taken away.
TEST(Observe, a_machine_that_goes_is_known_although_the_cache_shows_its_node_late_or_as_an_earlier_one) {
  for (const bool shows_earlier : {false, true}) {
    CachedJob world;
    CachedJob::show(world.node_claims, *MakeNodeClaim("claim-new", "ip-10-0-0-7")
                                            .with([](api::NodeClaim& claim) {
                                              claim.provider_id = "kwok://new";
                                              claim.meta.deletion_timestamp = controllers::testing::kStart;
                                            })
                                            .get());
    if (shows_earlier) CachedJob::show(world.nodes, earlier_machine());
    EXPECT_TRUE(world.see().leaving.empty()) << "the API server does not know the Node any more";
    world.api.objects["Node/ip-10-0-0-7"] = kNewMachine;
    const auto leaving = world.see().leaving;
    ASSERT_EQ(leaving.size(), 1U);
    EXPECT_EQ(leaving[0]->meta.uid, "uid-new");
  }
}

// A new process finds an attempt that the one before had begun and made no pod of.
TEST(Observe, looks_for_a_gang_of_512_with_a_few_requests) {
  CachedJob world;
  world.begin(512);
  const auto ranks = world.look(false);
  EXPECT_LE(world.api.requests.size(), 4U);
  EXPECT_EQ(ranks[511].state, RankState::NotCreated);
}

TEST(Observe, a_pod_of_a_gang_that_only_the_api_server_shows_is_waited_for) {
  CachedJob world;
  world.begin(512);
  world.api.lists["Pod"] = R"({"metadata":{"name":"fit-1-300","namespace":"vision","uid":"u","ownerReferences":[)"
                           R"({"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":"fit","uid":"uid-fit",)"
                           R"("controller":true}]}})";
  EXPECT_THROW((void)world.look(false), std::runtime_error);
}

TEST(Observe, hears_from_the_scheduler_where_pods_of_a_gang_were_bound_that_have_vanished) {
  CachedJob world;
  world.begin(64);
  world.api.lists["Event"] =
      R"({"metadata":{"name":"e","creationTimestamp":"2026-11-21T09:00:00Z"},"reason":"Scheduled",)"
      R"("involvedObject":{"kind":"Pod","name":"fit-1-40","uid":"uid-gone"},)"
      R"("message":"Successfully assigned vision/fit-1-40 to node-z"})";
  const auto ranks = world.look(false);
  EXPECT_EQ(ranks[40].memory.pod_uid, "uid-gone");
  EXPECT_EQ(ranks[40].memory.node_name, "node-z");
  EXPECT_EQ(ranks[40].state, RankState::Vanished);
}

TEST(Observe, hears_nothing_of_a_pod_that_was_bound_before_the_attempt_was_written_down) {
  CachedJob world;
  world.begin(1);
  const auto bound_at = [&](const char* time) {
    world.api.lists["Event"] = std::string(R"({"metadata":{"name":"e","creationTimestamp":")") + time +
                               R"("},"reason":"Scheduled",)"
                               R"("involvedObject":{"kind":"Pod","name":"fit-1-0","uid":"uid-of-earlier-job"},)"
                               R"("message":"Successfully assigned vision/fit-1-0 to node-z"})";
  };
  bound_at("2026-11-21T09:00:00Z");
  world.job.status.attempt_start_time = *kube::parse_time("2026-11-21T09:05:00Z");
  EXPECT_EQ(world.look(false)[0].memory.pod_uid, "");
  bound_at("2026-11-21T09:04:30Z");
  EXPECT_EQ(world.look(false)[0].memory.pod_uid, "uid-of-earlier-job") << "clocks differ";
}

// The pod and the Node are gone, and nobody saw them: the NodeClaim that stands is all that speaks for the machine.
TEST(Observe, a_claim_that_stands_for_a_node_that_was_never_seen_proves_that_its_machine_may_run) {
  CachedJob world;
  world.begin(1);
  world.api.lists["Event"] =
      R"({"metadata":{"name":"e","creationTimestamp":"2026-11-21T09:00:00Z"},"reason":"Scheduled",)"
      R"("involvedObject":{"kind":"Pod","name":"fit-1-0","uid":"uid-gone"},)"
      R"("message":"Successfully assigned vision/fit-1-0 to node-z"})";
  world.api.lists["NodeClaim"] =
      R"({"metadata":{"name":"claim-z","uid":"uid-claim-z"},"status":{"nodeName":"node-z"}})";
  const auto ranks = world.look(false);
  EXPECT_EQ(ranks[0].memory.node_claim_uid, "uid-claim-z");
  ASSERT_TRUE(ranks[0].node_claim);
  EXPECT_EQ(ranks[0].memory.proof, api::EndProof::None);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
