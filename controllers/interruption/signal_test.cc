#include "controllers/interruption/signal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "controllers/interruption/healthy_place_for_tests.h"

namespace reprise::controllers::interruption {
namespace {

using ::testing::HasSubstr;

TEST(InterruptionSignal, a_healthy_place_gives_none) {
  EXPECT_FALSE(Place().look());
}

TEST(InterruptionSignal, each_taint_of_a_dying_node_is_a_notice) {
  const std::map<std::string, std::string> reasons{
      {"karpenter.sh/disrupted", "Disrupted"},
      {"aws-node-termination-handler/spot-itn", "SpotInterrupted"},
      {"aws-node-termination-handler/scheduled-maintenance", "ScheduledMaintenance"},
      {"aws-node-termination-handler/asg-lifecycle-termination", "InstanceTerminating"},
      {"ToBeDeletedByClusterAutoscaler", "ToBeDeletedByClusterAutoscaler"},
      {"node.kubernetes.io/out-of-service", "OutOfService"},
      {"reprise.dev/spot-interruption", "SpotInterrupted"},
      {"reprise.dev/instance-termination", "InstanceTerminating"},
      {"reprise.dev/scheduled-maintenance", "ScheduledMaintenance"}};
  for (const auto& [taint, reason] : reasons) {
    Place place;
    place.node = MakeNode("node-a").taint(taint).get();
    const auto signal = place.look();
    ASSERT_TRUE(signal) << taint;
    EXPECT_EQ(signal->strength, Strength::Notice) << taint;
    EXPECT_EQ(signal->reason, reason);
    EXPECT_EQ(signal->node, "node-a");
  }
}

TEST(InterruptionSignal, a_rebalance_taint_is_only_a_hint) {
  for (const char* key :
       {"aws-node-termination-handler/rebalance-recommendation", "reprise.dev/rebalance-recommendation"}) {
    Place place;
    place.node = MakeNode("node-a").taint(key).get();
    ASSERT_TRUE(place.look()) << key;
    EXPECT_EQ(place.look()->strength, Strength::Hint) << key;
    EXPECT_EQ(place.look()->reason, "SpotRebalanceRecommendation") << key;
  }
}

TEST(InterruptionSignal, the_node_agent_s_taint_says_when_the_machine_goes) {
  const auto tainted = [](const char* key, std::string value) {
    Place place;
    place.node = MakeNode("node-a").with([&](auto& n) { n.taints.push_back({key, value, "NoSchedule"}); }).get();
    return place;
  };
  const auto soon = std::chrono::floor<std::chrono::seconds>(kStart) + std::chrono::seconds(90);
  const std::string at = std::to_string(soon.time_since_epoch().count());
  EXPECT_EQ(tainted("reprise.dev/spot-interruption", at).look()->deadline, soon);
  EXPECT_FALSE(tainted("reprise.dev/spot-interruption", at).look()->since) << "that is no time of a notice";
  for (const char* value : {"", "soon", "-5", "0", "9223372036854775807", "1795251600s"})
    EXPECT_FALSE(tainted("reprise.dev/spot-interruption", value).look()->deadline) << value;
  EXPECT_FALSE(tainted("aws-node-termination-handler/spot-itn", at).look()->deadline) << "others mean other things";
  Place both = tainted("reprise.dev/spot-interruption", at);
  both.claim = MakeNodeClaim("claim-a", "node-a")
                   .with([](auto& c) {
                     c.meta.annotations["karpenter.sh/nodeclaim-termination-timestamp"] = "2026-11-21T09:00:30Z";
                   })
                   .get();
  EXPECT_EQ(both.look()->deadline, kStart + std::chrono::seconds(30)) << "whichever is earlier";
}

TEST(InterruptionSignal, a_deleted_node_claim_is_a_notice_with_the_event_s_reason_and_a_deadline) {
  Place place;
  place.claim = MakeNodeClaim("claim-a", "node-a").with([](auto& c) { c.meta.deletion_timestamp = kStart; }).get();
  place.event("SpotInterrupted", "NodeClaim", "uid-claim-a");
  const auto signal = place.look();
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->strength, Strength::Notice);
  EXPECT_EQ(signal->reason, "SpotInterrupted");
  EXPECT_EQ(signal->deadline, kStart + std::chrono::seconds(120));
}

TEST(InterruptionSignal, a_node_that_goes_because_its_gpus_are_broken_says_so) {
  Place place;
  place.node = MakeNode("node-a")
                   .with([](kube::Node& node) {
                     node.conditions.push_back({"AcceleratedHardwareReady", "False", "NvidiaXID79Error", "fell off"});
                   })
                   .get();
  EXPECT_FALSE(place.look()) << "nobody takes the node away for it";
  place.event("TerminatingOnInterruption", "NodeClaim", "uid-claim-a");
  auto claim = *place.claim;
  claim.meta.deletion_timestamp = kStart;
  place.claim = std::make_shared<const api::NodeClaim>(claim);
  ASSERT_TRUE(place.look());
  EXPECT_EQ(place.look()->reason, kHardwareFailure);
}

// Watches of two kinds keep no order between them.
TEST(InterruptionSignal, a_node_that_its_pool_rolls_says_so_also_where_the_taint_is_seen_first) {
  Place place;
  place.node = MakeNode("node-a").taint("karpenter.sh/disrupted").get();
  EXPECT_EQ(place.look()->reason, "Disrupted");
  place.pool_rolled(kStart);
  EXPECT_EQ(place.look()->reason, kNodeDrifted);
  EXPECT_TRUE(place.look()->is_planned);
}

TEST(InterruptionSignal, a_node_that_its_pool_rolls_says_so_unless_something_else_took_it) {
  Place place;
  place.pool_rolled(kStart);
  EXPECT_FALSE(place.look()) << "it is not deleted yet";
  api::NodeClaim claim = *place.claim;
  claim.meta.deletion_timestamp = kStart;
  place.claim = std::make_shared<const api::NodeClaim>(claim);
  EXPECT_EQ(place.look()->reason, kNodeDrifted);
  EXPECT_TRUE(place.look()->is_planned);
  place.pool_rolled(kStart - std::chrono::hours(48));
  EXPECT_EQ(place.look()->reason, "NodeClaimDeleted")
      << "it was written down and stayed, and is deleted by somebody else";
  EXPECT_FALSE(place.look()->is_planned);
  place.pool_rolled(kStart);
  place.event("SpotInterrupted", "NodeClaim", "uid-claim-a");
  EXPECT_EQ(place.look()->reason, "SpotInterrupted");
  EXPECT_FALSE(place.look()->is_planned);
  place.events.clear();
  claim.conditions = {{"DisruptionReason", "True", "Empty", ""}};
  place.claim = std::make_shared<const api::NodeClaim>(claim);
  EXPECT_FALSE(place.look()->is_planned) << "Karpenter was faster";
}

TEST(InterruptionSignal, a_node_that_its_pool_gives_back_for_a_preferred_capacity_type_says_that) {
  Place place;
  place.pool_rolled(kStart, api::kPreferredCapacity);
  api::NodeClaim claim = *place.claim;
  claim.meta.deletion_timestamp = kStart;
  place.claim = std::make_shared<const api::NodeClaim>(claim);
  EXPECT_EQ(place.look()->reason, api::kPreferredCapacity);
  EXPECT_TRUE(place.look()->is_planned);
}

TEST(InterruptionSignal, karpenter_s_own_termination_time_is_the_deadline) {
  Place place;
  place.claim = MakeNodeClaim("claim-a", "node-a")
                    .with([](auto& c) {
                      c.meta.deletion_timestamp = kStart;
                      c.meta.annotations["karpenter.sh/nodeclaim-termination-timestamp"] = "2026-11-21T09:00:30Z";
                    })
                    .get();
  EXPECT_EQ(place.look()->deadline, kStart + std::chrono::seconds(30));
}

TEST(InterruptionSignal, a_node_that_is_shutting_down_is_a_notice_and_one_that_is_merely_not_ready_is_none) {
  Place shutting;
  shutting.node = MakeNode("node-a").ready("False", "node is shutting down").get();
  ASSERT_TRUE(shutting.look());
  EXPECT_EQ(shutting.look()->reason, "NodeShutdown");
  Place silent;
  silent.node = MakeNode("node-a").ready("Unknown", "Kubelet stopped posting node status.").get();
  EXPECT_FALSE(silent.look());
}

TEST(InterruptionSignal, a_pod_being_deleted_is_a_notice_with_the_disruption_s_reason) {
  Place place;
  place.pod.meta.deletion_timestamp = kStart + std::chrono::seconds(30);
  EXPECT_EQ(place.look()->reason, "PodDeleted");
  place.pod.conditions = {{"DisruptionTarget", "True", "DeletionByTaintManager", ""}};
  EXPECT_EQ(place.look()->reason, "DeletionByTaintManager");
  EXPECT_EQ(place.look()->deadline, kStart + std::chrono::seconds(30));
}

struct Told {
  const char* what;
  std::function<void(Place&)> spoil;
  std::optional<kube::Time> since;
};

// NOLINTNEXTLINE(readability-function-size): a table, one row per source
TEST(InterruptionSignal, tells_since_when_its_source_says_so_and_invents_nothing) {
  const auto tainted = [](const char* key, const char* value) {
    return [=](Place& place) {
      place.node = MakeNode("node-a").with([&](auto& n) { n.taints.push_back({key, value, "NoSchedule"}); }).get();
    };
  };
  const auto pod_deleted = [](Place& place) {
    place.pod.meta.deletion_timestamp = kStart + std::chrono::seconds(70);
    place.pod.meta.deletion_grace_period_seconds = 60;
  };
  const std::string at = std::to_string(std::chrono::floor<std::chrono::seconds>(kStart).time_since_epoch().count());
  const auto late_pod = [](Place& place) { place.pod.meta.creation_timestamp = kStart + std::chrono::seconds(1); };
  const Told table[] = {
      {"a NodeClaim's deletion",
       [](Place& place) {
         place.claim =
             MakeNodeClaim("claim-a", "node-a").with([](auto& c) { c.meta.deletion_timestamp = kStart; }).get();
       },
       kStart},
      {"a Node's deletion",
       [](Place& place) {
         place.node = MakeNode("node-a").with([](auto& n) { n.meta.deletion_timestamp = kStart; }).get();
       },
       kStart},
      {"a pod's deletion was asked for its grace before its time", pod_deleted, kStart + std::chrono::seconds(10)},
      {"a deletion that does not tell its grace", [](Place& place) { place.pod.meta.deletion_timestamp = kStart; },
       std::nullopt},
      {"a pod that is only marked, which tells no time here",
       [](Place& place) {
         place.pod.conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", ""}};
       },
       std::nullopt},
      {"a pod that its node ended, and somebody deletes later",
       [&](Place& place) {
         pod_deleted(place);
         place.pod.phase = kube::PodPhase::Failed;
         place.pod.reason = "Terminated";
       },
       std::nullopt},
      {"the taint of the cluster autoscaler, whose value is its time",
       tainted("ToBeDeletedByClusterAutoscaler", at.c_str()), std::chrono::floor<std::chrono::seconds>(kStart)},
      {"one with another value", tainted("ToBeDeletedByClusterAutoscaler", "soon"), std::nullopt},
      {"one with more than a time", tainted("ToBeDeletedByClusterAutoscaler", "1795251600s"), std::nullopt},
      {"one from beyond all years", tainted("ToBeDeletedByClusterAutoscaler", "9223372036854775807"), std::nullopt},
      {"one that is older than the pod",
       [&](Place& place) {
         tainted("ToBeDeletedByClusterAutoscaler", at.c_str())(place);
         late_pod(place);
       },
       std::nullopt},
      {"a number in another's taint", tainted("karpenter.sh/disrupted", at.c_str()), std::nullopt},
      {"a node that is gone", [](Place& place) { place.node = nullptr; }, std::nullopt},
  };
  for (const Told& row : table) {
    Place place;
    row.spoil(place);
    ASSERT_TRUE(place.look()) << row.what;
    EXPECT_EQ(place.look()->since, row.since) << row.what;
  }
}

TEST(InterruptionSignal, only_a_pod_that_its_node_ended_is_said_to_be_ended_by_it) {
  Place evicted;
  evicted.pod.conditions = {{"DisruptionTarget", "True", "DeletionByTaintManager", ""}};
  EXPECT_THAT(evicted.look()->message, HasSubstr("is about to be deleted"));
  evicted.pod.phase = kube::PodPhase::Failed;
  evicted.pod.reason = "Terminated";
  EXPECT_THAT(evicted.look()->message, HasSubstr("was ended by its node"));
}

TEST(InterruptionSignal, what_is_gone_without_a_notice_is_gone) {
  Place no_node;
  no_node.node = nullptr;
  EXPECT_EQ(no_node.look()->strength, Strength::Gone);
  Place no_claim;
  no_claim.claim = nullptr;
  EXPECT_FALSE(no_claim.look()) << "a claim that goes alone was taken by force: the node answers";
  no_claim.node = MakeNode("node-a").ready("Unknown").get();
  const auto silent = no_claim.look();
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->strength, Strength::Gone);
  const Place healthy;
  const auto late_cache = strongest_signal({.pod = &healthy.pod, .pod_expected = true, .node_name = "node-a"});
  EXPECT_FALSE(late_cache) << "a node that was never seen may only be late";
  const auto no_pod = strongest_signal({.pod = nullptr,
                                        .pod_expected = true,
                                        .node_name = "node-a",
                                        .node = Place().node.get(),
                                        .node_claim = Place().claim.get(),
                                        .node_claim_expected = true,
                                        .events = {},
                                        .notice_seconds = {}});
  ASSERT_TRUE(no_pod);
  EXPECT_EQ(no_pod->strength, Strength::Gone);
}

TEST(InterruptionSignal, a_deletion_that_is_older_than_the_pod_is_no_news_until_the_taint_comes) {
  const auto marked = [](kube::Time at) {
    Place place;
    place.node = MakeNode("node-a").with([&](auto& n) { n.meta.deletion_timestamp = at; }).get();
    place.claim = MakeNodeClaim("claim-a", "node-a").with([&](auto& c) { c.meta.deletion_timestamp = at; }).get();
    place.pod.meta.creation_timestamp = kStart;
    return place;
  };
  EXPECT_TRUE(marked(kStart + std::chrono::seconds(1)).look());
  EXPECT_TRUE(marked(kStart).look()) << "in the same second: who knows";
  Place late = marked(kStart - std::chrono::seconds(1));
  EXPECT_FALSE(late.look());
  late.node = MakeNode("node-a").taint("karpenter.sh/disrupted").get();
  EXPECT_TRUE(late.look());
}

}  // namespace
}  // namespace reprise::controllers::interruption
