#include <gtest/gtest.h>

#include "simulator/actors/testing/scene.h"

namespace reprise::simulator::testing {
namespace {

std::string cpus(int count, const std::string& more = {}) {
  return R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")" + std::to_string(count) +
         R"("}}}])" + more;
}

TEST(Scheduler, binds_where_there_is_room_and_says_so_in_an_event) {
  Scene scene;
  scene.node("small", 1);
  scene.node("large", 8);
  scene.pod("a", cpus(4));
  scene.run(seconds(30));
  EXPECT_EQ(scene.node_of("a"), "large");
  bool scheduled = false;
  for (const ObjectPtr& event : scene.api.list(scene.kinds.events))
    scheduled = scheduled || (text(*event, {"reason"}) == "Scheduled" &&
                              text(*event, {"message"}) == "Successfully assigned default/a to large");
  EXPECT_TRUE(scheduled);
}

TEST(Scheduler, says_why_a_pod_fits_nowhere) {
  Scene scene;
  scene.node("tainted", 8, {}, {{"own", "x", "NoSchedule"}});
  scene.node("small", 1);
  scene.pod("a", cpus(4));
  scene.run(seconds(30));
  const ObjectPtr pod = scene.find_pod("a");
  EXPECT_EQ(condition_reason(*pod, "PodScheduled"), "Unschedulable");
  EXPECT_EQ(scene.node_of("a"), "");
}

TEST(Scheduler, taints_and_selectors_choose_the_node) {
  Scene scene;
  scene.node("plain", 8);
  scene.node("own", 8, {{"pool", "t4"}}, {{"nvidia.com/gpu", "true", "NoSchedule"}});
  scene.pod("a",
            cpus(1, R"(,"nodeSelector":{"pool":"t4"},"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}])"));
  scene.pod("b", cpus(1, R"(,"nodeSelector":{"pool":"t4"})"));
  scene.pod("c", cpus(1, R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
    "nodeSelectorTerms":[{"matchExpressions":[{"key":"pool","operator":"DoesNotExist"}]}]}}})"));
  scene.run(seconds(30));
  EXPECT_EQ(scene.node_of("a"), "own");
  EXPECT_EQ(scene.node_of("b"), "");
  EXPECT_EQ(scene.node_of("c"), "plain");
}

TEST(Scheduler, a_trainer_takes_the_place_of_a_standby_pod) {
  Scene scene;
  scene.node("one", 4);
  scene.pod("standby", cpus(4, R"(,"priorityClassName":"reprise-standby","terminationGracePeriodSeconds":1)"));
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.phase_of("standby") == "Running"; }));
  scene.pod("trainer", cpus(4));
  ASSERT_TRUE(scene.becomes(seconds(15), [&] { return scene.node_of("trainer") == "one"; }));
  EXPECT_TRUE(scene.becomes(seconds(5), [&] { return scene.find_pod("standby") == nullptr; }));
  EXPECT_EQ(text(*scene.find_pod("trainer"), {"status", "nominatedNodeName"}), "one");
}

TEST(Scheduler, a_nomination_ends_with_its_node) {
  Scene scene;
  scene.node("one", 4);
  scene.pod("standby", cpus(4, R"(,"priorityClassName":"reprise-standby","terminationGracePeriodSeconds":600)"));
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.phase_of("standby") == "Running"; }));
  scene.actors->silence("one");  // the victim does not end
  scene.pod("trainer", cpus(4));
  const auto nominated = [&] { return text(*scene.find_pod("trainer"), {"status", "nominatedNodeName"}); };
  ASSERT_TRUE(scene.becomes(seconds(15), [&] { return nominated() == "one"; }));
  scene.actors->delete_node_object("one");
  EXPECT_TRUE(scene.becomes(minutes(10), [&] { return nominated().empty(); }));
}

TEST(Scheduler, nobody_preempts_his_equals) {
  Scene scene;
  scene.node("one", 4);
  scene.pod("first", cpus(4));
  scene.run(minutes(1));
  scene.pod("second", cpus(4));
  scene.run(minutes(1));
  EXPECT_EQ(scene.phase_of("first"), "Running");
  EXPECT_EQ(scene.node_of("second"), "");
}

TEST(Scheduler, a_volume_draws_its_pod_into_its_zone) {
  Scene scene;
  scene.node("a1", 4, {{"topology.kubernetes.io/zone", "us-west-2a"}});
  scene.node("b1", 8, {{"topology.kubernetes.io/zone", "us-west-2b"}});
  scene.claim("data");
  scene.pod("first", Scene::with_claim("data"));
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.phase_of("first") == "Running"; }));
  const std::string home = scene.node_of("first");
  EXPECT_EQ(home, "b1");  // the emptier one
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "first"}));
  scene.run(minutes(1));
  scene.node("b2", 1, {{"topology.kubernetes.io/zone", "us-west-2b"}});
  static_cast<void>(scene.api.update({scene.kinds.nodes, "", "b1"}, [](Value& node) {
    set(node, {"spec", "unschedulable"}, true);
  }));
  scene.pod("second", Scene::with_claim("data"));
  scene.run(minutes(1));
  EXPECT_EQ(scene.node_of("second"), "b2");
}

}  // namespace
}  // namespace reprise::simulator::testing
