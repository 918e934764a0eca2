// Signals of which Events about a node tell.
#include <gtest/gtest.h>

#include <functional>

#include "controllers/interruption/healthy_place_for_tests.h"
#include "controllers/interruption/signal.h"

namespace reprise::controllers::interruption {
namespace {

TEST(InterruptionSignal, an_event_alone_is_only_a_hint) {
  for (const char* reason :
       {"SpotInterrupted", "TerminatingOnInterruption", "SpotRebalanceRecommendation", "ScheduledMaintenance"}) {
    Place place;
    place.event(reason);
    ASSERT_TRUE(place.look()) << reason;
    EXPECT_EQ(place.look()->strength, Strength::Hint) << reason;
  }
}

TEST(InterruptionSignal, a_hint_that_is_older_than_the_pod_is_no_news) {
  const auto pod_of = [](Place& place, int seconds) {
    place.pod.meta.creation_timestamp = kStart + std::chrono::seconds(seconds);
  };
  Place event;
  event.event("SpotInterrupted");
  for (const int seconds : {-1, 0, 1}) {
    pod_of(event, seconds);
    EXPECT_EQ(event.look().has_value(), seconds < 0) << seconds;
  }
  const auto at = std::chrono::floor<std::chrono::seconds>(kStart).time_since_epoch().count();
  Place taint;
  taint.node =
      MakeNode("node-a")
          .with([&](auto& n) {
            n.taints.push_back({"reprise.dev/rebalance-recommendation", std::to_string(at), "PreferNoSchedule"});
          })
          .get();
  pod_of(taint, -1);
  EXPECT_TRUE(taint.look());
  pod_of(taint, 0);
  EXPECT_FALSE(taint.look());
  taint.node = MakeNode("node-a").taint("reprise.dev/rebalance-recommendation").get();
  EXPECT_TRUE(taint.look()) << "one that tells no time may be new";
}

TEST(InterruptionSignal, a_later_event_is_another_hint_than_the_one_that_was_acted_on) {
  for (const bool later_first : {false, true}) {
    Place place;
    place.event("SpotRebalanceRecommendation");
    place.event("SpotInterrupted");
    auto later = std::make_shared<kube::Event>(*place.events.back());
    later->meta.creation_timestamp = kStart + std::chrono::minutes(20);
    place.events.back() = later;
    if (later_first) std::swap(place.events.front(), place.events.back());
    EXPECT_EQ(place.look()->id, "uid-event-SpotInterrupted");
  }
}

TEST(InterruptionSignal, an_event_about_an_earlier_machine_of_that_name_is_nothing) {
  Place other_uid;
  other_uid.event("SpotInterrupted", "Node", "uid-of-another-node");
  EXPECT_FALSE(other_uid.look());
  Place too_old;
  too_old.event("SpotInterrupted", "Node", "uid-node-a", kStart - std::chrono::seconds(1));
  EXPECT_FALSE(too_old.look());
}

struct Writer {
  const char* what;
  std::function<void(kube::Event&)> change;
  bool believed;
};

TEST(InterruptionSignal, an_event_counts_where_a_known_reporter_says_it_of_this_very_machine) {
  const Writer table[] = {
      {"the node termination handler", [](kube::Event& e) { e.source = "aws-node-termination-handler"; }, true},
      {"our node agent", [](kube::Event& e) { e.source = "reprise-node-agent"; }, true},
      {"a monitor of the node problem detector",
       [](kube::Event& e) { e.source = "custom-scheduledevents-plugin-monitor"; }, true},
      {"who puts the Node's name where its uid belongs", [](kube::Event& e) { e.involved_uid = "node-a"; }, true},
      {"somebody", [](kube::Event& e) { e.source = "mallory"; }, false},
      {"nobody", [](kube::Event& e) { e.source = {}; }, false},
      {"somebody with a longer name", [](kube::Event& e) { e.source = "karpenter-2"; }, false},
      {"who does not say of which machine", [](kube::Event& e) { e.involved_uid = {}; }, false},
      {"who writes in a namespace of his own", [](kube::Event& e) { e.meta.namespace_ = "vision"; }, false},
  };
  for (const Writer& row : table) {
    Place place;
    place.event("SpotInterrupted");
    place.change_event(row.change);
    EXPECT_EQ(place.look().has_value(), row.believed) << row.what;
    EXPECT_EQ(place.look() && place.look()->is_event_alone, row.believed) << row.what;
    place.claim = MakeNodeClaim("claim-a", "node-a").with([](auto& c) { c.meta.deletion_timestamp = kStart; }).get();
    EXPECT_EQ(place.look()->reason, row.believed ? "SpotInterrupted" : "NodeClaimDeleted") << row.what;
    EXPECT_FALSE(place.look()->is_event_alone);
  }
}

}  // namespace
}  // namespace reprise::controllers::interruption
