#include <gtest/gtest.h>

#include "simulator/actors/testing/scene.h"

namespace reprise::simulator::testing {
namespace {

const std::string kKept = R"(,"annotations":{"karpenter.sh/do-not-disrupt":"true"})";

// One zone is there until a moment; others never.
class UntilMarket final : public SpotMarket {
 public:
  explicit UntilMarket(Duration end) : end_(end) {}
  [[nodiscard]] SpotState state(std::string_view zone, Duration at) const override {
    return {.nodes = zone == "us-west-2a" && at < end_ ? 10 : 0};
  }
  [[nodiscard]] std::optional<Duration> next_change(std::string_view zone, Duration after) const override {
    return zone == "us-west-2a" && after < end_ ? std::optional(end_) : std::nullopt;
  }

 private:
  Duration end_;
};

ObjectPtr last_phase(const Scene& scene, const std::string& pod) {
  ObjectPtr found;
  for (const ObjectChange& change : scene.api.changes_after(0))
    if (change.resource == scene.kinds.pods && name_of(*change.object) == pod) found = change.object;
  return found;
}

TEST(Karpenter, a_pending_pod_gets_a_machine_and_runs_there) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  ASSERT_EQ(scene.node_claims().size(), 1U);
  const Value& claim = *scene.node_claims().front();
  for (const char* condition : {"Launched", "Registered", "Initialized", "Ready"})
    EXPECT_TRUE(is_true(claim, condition)) << condition;
  EXPECT_EQ(text(claim, {"status", "nodeName"}), scene.node_of("a"));
  EXPECT_EQ(text(claim, {"metadata", "labels", "node.kubernetes.io/instance-type"}), "g4dn.xlarge");  // the cheapest
  const ObjectPtr node = scene.api.get({scene.kinds.nodes, "", scene.node_of("a")});
  EXPECT_FALSE(has_taint(*node, "karpenter.sh/unregistered"));
  EXPECT_EQ(text(*node, {"status", "allocatable", "nvidia.com/gpu"}), "1");
}

TEST(Karpenter, pods_that_come_together_are_planned_together) {
  Scene scene;
  scene.pool();
  for (const char* name : {"a", "b", "c"}) scene.gpu_pod(name);
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a", "b", "c"}); }));
  EXPECT_EQ(scene.node_claims().size(), 1U);  // one machine of four GPUs
}

TEST(Karpenter, limits_hold_and_the_lighter_pool_takes_the_rest) {
  Scene scene;
  scene.pool("t4-spot", "spot", 100, R"({"nvidia.com/gpu":"1"})");
  scene.pool("t4-on-demand", "on-demand", 99, R"({"nvidia.com/gpu":"1"})");
  for (const char* name : {"a", "b", "c"}) scene.gpu_pod(name);
  scene.run(minutes(10));
  EXPECT_EQ(scene.node_claims().size(), 2U);
  EXPECT_EQ(all_running(scene, {"a"}) + all_running(scene, {"b"}) + all_running(scene, {"c"}), 2);
}

TEST(Karpenter, a_launch_without_capacity_ends_the_claim_and_another_pool_is_tried) {
  const UntilMarket none(Duration{0});
  Scene scene(1, &none);
  scene.pool("t4-spot", "spot", 100);
  scene.pool("t4-on-demand", "on-demand", 99);
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(10), [&] { return all_running(scene, {"a"}); }));
  ASSERT_EQ(scene.node_claims().size(), 1U);
  EXPECT_EQ(text(*scene.node_claims().front(), {"metadata", "labels", "karpenter.sh/capacity-type"}), "on-demand");
}

int events_of(const Scene& scene, std::string_view reason) {
  const auto events = scene.api.list(scene.kinds.events);
  return static_cast<int>(
      std::ranges::count_if(events, [&](const ObjectPtr& event) { return text(*event, {"reason"}) == reason; }));
}

TEST(Karpenter, what_lacks_capacity_while_the_market_is_open_is_reported_and_not_tried_again_for_three_minutes) {
  Scene scene;
  scene.pool();
  for (const std::string& zone : scene.actors->cloud.settings().zones)
    scene.actors->cloud.set_out_of_capacity(zone, "spot");
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return events_of(scene, "InsufficientCapacityError") == 1; }));
  const Duration out = scene.loop.now();
  for (const std::string& zone : scene.actors->cloud.settings().zones)
    scene.actors->cloud.set_out_of_capacity(zone, "spot", false);
  ASSERT_TRUE(scene.becomes(seconds(5), [&] { return scene.node_claims().empty(); }));
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return !scene.node_claims().empty(); }));
  EXPECT_GE(scene.loop.now() - out, UnavailableOfferings::kFor);
  EXPECT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
}

TEST(Karpenter, one_zone_without_capacity_is_no_reason_to_wait) {
  Scene scene;
  scene.pool();
  const std::string zone = scene.actors->cloud.settings().zones.front();
  scene.actors->cloud.set_out_of_capacity(zone, "spot");
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return all_running(scene, {"a"}); }));
  EXPECT_EQ(events_of(scene, "InsufficientCapacityError"), 0);
  EXPECT_NE(text(*scene.node_claims().front(), {"metadata", "labels", "topology.kubernetes.io/zone"}), zone);
}

TEST(Karpenter, a_machine_that_never_joins_is_ended_after_a_quarter_of_an_hour_and_replaced) {
  Scene scene;
  scene.pool();
  scene.actors->cloud.trouble_next_launch(LaunchTrouble::NeverRegisters);
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return !scene.node_claims().empty(); }));
  const std::string first(name_of(*scene.node_claims().front()));
  scene.run(minutes(14));
  const ObjectPtr claim = scene.api.get({scene.kinds.node_claims, "", first});
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(condition_reason(*claim, "Registered"), "NodeNotFound");
  EXPECT_EQ(scene.api.get({scene.kinds.nodes, "", first}), nullptr);
  EXPECT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  EXPECT_EQ(scene.api.get({scene.kinds.node_claims, "", first}), nullptr);
  EXPECT_TRUE(scene.actors->cloud.of_node(first)->ended);  // the machine is not paid for any more
}

TEST(Karpenter, a_machine_that_never_shows_its_devices_is_kept_for_ever) {
  Scene scene;
  scene.pool();
  scene.actors->cloud.trouble_next_launch(LaunchTrouble::NeverInitialises);
  scene.gpu_pod("a");
  scene.run(minutes(60));
  ASSERT_EQ(scene.node_claims().size(), 1U);
  EXPECT_TRUE(is_true(*scene.node_claims().front(), "Registered"));
  EXPECT_EQ(condition_reason(*scene.node_claims().front(), "Initialized"), "ResourceNotRegistered");
  EXPECT_EQ(scene.phase_of("a"), "Pending");
}

TEST(Karpenter, overlays_make_slices_known) {
  Scene scene;
  scene.make("karpenter.sh", "nodepools", R"({"metadata":{"name":"t4-spot"},"spec":{"weight":100,
    "template":{"metadata":{"labels":{"reprise.dev/pool":"t4","nvidia.com/device-plugin.config":"ts-4"}},"spec":{
    "requirements":[{"key":"karpenter.k8s.aws/instance-gpu-name","operator":"In","values":["t4"]}]}}}})");
  scene.make("karpenter.sh", "nodeoverlays", R"({"metadata":{"name":"t4-1-gpu"},"spec":{"weight":10,
    "requirements":[{"key":"karpenter.sh/nodepool","operator":"In","values":["t4-spot"]},
    {"key":"karpenter.k8s.aws/instance-gpu-count","operator":"In","values":["1"]}],
    "capacity":{"nvidia.com/gpu.shared":"4"}}})");
  for (const char* name : {"a", "b", "c"})
    scene.pod(name, R"("containers":[{"name":"c","image":"i","resources":{"limits":{"nvidia.com/gpu.shared":"1"}}}])");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a", "b", "c"}); }));
  EXPECT_EQ(scene.node_claims().size(), 1U);
}

TEST(Karpenter, an_interruption_tells_deletes_and_takes_the_machine_after_its_notice) {
  const UntilMarket market(minutes(10));
  Scene scene(1, &market);
  scene.pool();
  scene.gpu_pod("a", R"(,"terminationGracePeriodSeconds":120)", kKept);
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  const std::string node = scene.node_of("a");
  scene.loop.run_until(minutes(10) + seconds(6));
  int events = 0;
  for (const ObjectPtr& event : scene.api.list(scene.kinds.events))
    if (text(*event, {"reason"}) == "SpotInterrupted" && text(*event, {"involvedObject", "name"}) == node) ++events;
  EXPECT_EQ(events, 2);  // on the NodeClaim and on the Node
  const ObjectPtr claim = scene.api.get({scene.kinds.node_claims, "", node});
  ASSERT_NE(claim, nullptr);
  EXPECT_TRUE(being_deleted(*claim));
  // The pod's grace is as long as the machine's: it is deleted at once, do-not-disrupt or not.
  EXPECT_TRUE(scene.find_pod("a") == nullptr || being_deleted(*scene.find_pod("a")));
  scene.loop.run_until(minutes(15));
  EXPECT_EQ(scene.api.get({scene.kinds.node_claims, "", node}), nullptr);
  EXPECT_EQ(scene.api.get({scene.kinds.nodes, "", node}), nullptr);
  EXPECT_EQ(scene.find_pod("a"), nullptr);
}

TEST(Karpenter, do_not_disrupt_keeps_a_machine_until_the_grace_of_its_pod_would_not_fit_any_more) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a", R"(,"terminationGracePeriodSeconds":30)", kKept);
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  scene.actors->delete_node_claim(scene.node_of("a"));
  scene.run(seconds(80));
  EXPECT_FALSE(being_deleted(*scene.find_pod("a")));
  scene.run(seconds(15));
  EXPECT_TRUE(scene.find_pod("a") == nullptr || being_deleted(*scene.find_pod("a")));
  scene.run(minutes(3));
  EXPECT_TRUE(scene.node_claims().empty());
}

TEST(Karpenter, a_claim_stands_for_as_long_as_its_machine_runs) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  const std::string node = scene.node_of("a");
  scene.actors->delete_node_claim(node);
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return scene.actors->kubelets.find(node) == nullptr; }));
  EXPECT_NE(scene.api.get({scene.kinds.node_claims, "", node}), nullptr);
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return scene.api.get({scene.kinds.node_claims, "", node}) == nullptr; }));
}

TEST(Karpenter, a_machine_that_vanishes_is_found_out_and_its_objects_go) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  const std::string node = scene.node_of("a");
  scene.actors->vanish(node);
  scene.run(minutes(5));
  EXPECT_EQ(scene.api.get({scene.kinds.node_claims, "", node}), nullptr);
  EXPECT_EQ(scene.api.get({scene.kinds.nodes, "", node}), nullptr);
  EXPECT_EQ(scene.find_pod("a"), nullptr);
}

TEST(Karpenter, a_node_removed_by_force_leaves_its_claim_and_its_machine) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  const std::string node = scene.node_of("a");
  scene.actors->delete_node_object(node);
  scene.run(minutes(5));
  EXPECT_EQ(scene.find_pod("a"), nullptr);
  EXPECT_NE(scene.api.get({scene.kinds.node_claims, "", node}), nullptr);
  EXPECT_NE(scene.actors->kubelets.find(node), nullptr);
}

TEST(Karpenter, deleting_a_node_drains_it_and_takes_its_claim_along) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  const std::string node = scene.node_of("a");
  scene.actors->delete_node_object(node, false);
  scene.run(minutes(3));
  EXPECT_EQ(scene.api.get({scene.kinds.node_claims, "", node}), nullptr);
  EXPECT_EQ(scene.actors->kubelets.find(node), nullptr);
  EXPECT_EQ(text(*last_phase(scene, "a"), {"status", "phase"}), "Failed");
}

TEST(Karpenter, a_machine_that_never_registers_is_given_up) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(
      minutes(1), [&] { return !scene.node_claims().empty() && is_true(*scene.node_claims().front(), "Launched"); }));
  const std::string first(name_of(*scene.node_claims().front()));
  scene.actors->vanish(first);
  scene.run(minutes(20));
  EXPECT_EQ(scene.api.get({scene.kinds.node_claims, "", first}), nullptr);
  EXPECT_TRUE(all_running(scene, {"a"}));  // on another
}

TEST(Karpenter, an_empty_machine_goes_after_its_time_and_not_before) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  scene.run(seconds(290));
  ASSERT_EQ(scene.node_claims().size(), 1U);
  EXPECT_FALSE(being_deleted(*scene.node_claims().front()));
  scene.run(minutes(3));
  EXPECT_TRUE(scene.node_claims().empty());
}

// pkg/utils/pod/scheduling.go: IsReschedulable leaves out terminating pods; the node's readiness does not matter.
TEST(Karpenter, a_silent_machine_whose_pods_are_all_being_deleted_is_empty) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  scene.actors->power_loss(scene.node_of("a"));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  ASSERT_TRUE(being_deleted(*scene.find_pod("a")));
  scene.run(seconds(290));
  ASSERT_EQ(scene.node_claims().size(), 1U);
  EXPECT_FALSE(being_deleted(*scene.node_claims().front()));
  scene.run(minutes(5));
  EXPECT_TRUE(scene.node_claims().empty());
}

TEST(Karpenter, also_an_empty_machine_is_drained_for_a_while) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  const std::string node = scene.node_of("a");
  scene.actors->force_delete_pod("default", "a");
  scene.run(seconds(10));
  scene.actors->delete_node_claim(node);
  const auto drained = [&](std::string_view status) {
    const ObjectPtr claim = scene.api.get({scene.kinds.node_claims, "", node});
    return claim && condition_status(*claim, "Drained") == status;
  };
  ASSERT_TRUE(scene.becomes(seconds(2), [&] { return drained("Unknown"); }));
  EXPECT_FALSE(scene.becomes(Termination::kLeastDrain - Duration{1}, [&] { return drained("True"); }));
  EXPECT_TRUE(scene.becomes(seconds(2), [&] { return drained("True"); }));
}

TEST(Karpenter, drift_is_shown_and_a_budget_of_none_keeps_the_machine) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a", {}, kKept);
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  static_cast<void>(scene.api.update({scene.kinds.node_pools, "", "t4-spot"}, [](Value& pool) {
    set(pool, {"spec", "template", "metadata", "labels", "more"}, "x");
  }));
  scene.run(minutes(10));
  ASSERT_EQ(scene.node_claims().size(), 1U);
  EXPECT_TRUE(is_true(*scene.node_claims().front(), "Drifted"));
  EXPECT_FALSE(being_deleted(*scene.node_claims().front()));
}

TEST(Karpenter, an_idle_cluster_plans_next_to_nothing) {
  Scene scene;
  scene.pool();
  scene.gpu_pod("a");
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return all_running(scene, {"a"}); }));
  scene.run(minutes(10));
  const std::uint64_t steps = scene.loop.steps();
  const std::uint64_t version = scene.api.version();
  scene.run(minutes(60));
  EXPECT_LE(scene.loop.steps() - steps, 10U);
  EXPECT_EQ(scene.api.version(), version);
}

TEST(Karpenter, a_scenario_replays_from_its_seed) {
  const auto scenario = [](std::uint64_t seed) {
    const UntilMarket market(minutes(10));
    Scene scene(seed, &market);
    scene.pool();
    for (const char* name : {"a", "b"}) scene.gpu_pod(name);
    scene.run(minutes(20));
    return std::pair(scene.log.digest(), scene.api.version());
  };
  EXPECT_EQ(scenario(7), scenario(7));
  EXPECT_NE(scenario(7).first, scenario(8).first);
}

}  // namespace
}  // namespace reprise::simulator::testing
