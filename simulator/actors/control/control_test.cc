#include <gtest/gtest.h>

#include "simulator/actors/testing/scene.h"

namespace reprise::simulator::testing {
namespace {

std::string tolerating(int unreachable_seconds) {
  return R"("containers":[{"name":"c","image":"i"}],"tolerations":[
    {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":)" +
         std::to_string(unreachable_seconds) + "}]";
}

struct OneNode : Scene {
  OneNode() { node("one", 8); }
  bool runs(const std::string& name) {
    return becomes(minutes(3), [&] { return phase_of(name) == "Running"; });
  }
};

TEST(NodeLifecycle, a_silent_node_is_called_unknown_and_its_pods_go_when_they_tolerate_it_no_longer) {
  OneNode scene;
  scene.pod("a", tolerating(15));
  ASSERT_TRUE(scene.runs("a"));
  scene.actors->silence("one");
  scene.run(seconds(39));
  EXPECT_EQ(condition_status(*scene.api.get({scene.kinds.nodes, "", "one"}), "Ready"), "True");
  scene.run(seconds(17));
  const ObjectPtr node = scene.api.get({scene.kinds.nodes, "", "one"});
  EXPECT_EQ(condition_status(*node, "Ready"), "Unknown");
  EXPECT_TRUE(has_taint(*node, "node.kubernetes.io/unreachable", "NoExecute"));
  EXPECT_FALSE(is_true(*scene.find_pod("a"), "Ready"));
  scene.run(seconds(16));
  ASSERT_NE(scene.find_pod("a"), nullptr);  // its kubelet has not said that it ended
  EXPECT_TRUE(being_deleted(*scene.find_pod("a")));
  EXPECT_EQ(condition_reason(*scene.find_pod("a"), "DisruptionTarget"), "DeletionByTaintManager");
}

TEST(NodeLifecycle, a_short_silence_changes_nothing) {
  OneNode scene;
  scene.pod("a", tolerating(15));
  ASSERT_TRUE(scene.runs("a"));
  scene.actors->silence("one");
  scene.run(seconds(30));
  scene.actors->silence("one", false);
  scene.run(minutes(5));
  EXPECT_FALSE(being_deleted(*scene.find_pod("a")));
  EXPECT_TRUE(is_true(*scene.api.get({scene.kinds.nodes, "", "one"}), "Ready"));
}

TEST(NodeLifecycle, a_node_that_speaks_again_loses_its_taints) {
  OneNode scene;
  scene.actors->silence("one");
  scene.run(minutes(2));
  scene.actors->silence("one", false);
  scene.run(seconds(5));
  const ObjectPtr node = scene.api.get({scene.kinds.nodes, "", "one"});
  EXPECT_TRUE(is_true(*node, "Ready"));
  EXPECT_TRUE(array(*node, {"spec", "taints"}).empty());
}

TEST(PodGc, pods_of_a_deleted_node_are_removed_without_a_word_of_their_machine) {
  OneNode scene;
  scene.pod("a");
  ASSERT_TRUE(scene.runs("a"));
  scene.actors->delete_node_object("one");
  scene.run(seconds(39));
  EXPECT_NE(scene.find_pod("a"), nullptr);
  scene.run(seconds(22));
  EXPECT_EQ(scene.find_pod("a"), nullptr);
}

TEST(PodGc, a_pod_that_is_made_for_a_node_that_has_gone_is_removed) {
  OneNode scene;
  scene.actors->delete_node_object("one");
  scene.run(seconds(70));
  scene.pod("a", R"("nodeName":"one","containers":[{"name":"c","image":"i"}])");
  scene.run(seconds(39));
  ASSERT_NE(scene.find_pod("a"), nullptr);
  scene.run(seconds(22));
  EXPECT_EQ(scene.find_pod("a"), nullptr);
}

TEST(PodGc, a_node_out_of_service_gives_its_deleted_pods_up) {
  OneNode scene;
  scene.pod("a", tolerating(15));
  ASSERT_TRUE(scene.runs("a"));
  scene.actors->power_loss("one");
  scene.run(seconds(75));
  ASSERT_TRUE(being_deleted(*scene.find_pod("a")));
  scene.actors->out_of_service("one");
  scene.run(seconds(25));
  EXPECT_EQ(scene.find_pod("a"), nullptr);
}

std::string owned_by(const ObjectPtr& owner) {
  return R"({"metadata":{"name":"dependent","namespace":"default","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",
    "name":"owner","uid":")" +
         std::string(uid_of(*owner)) + R"(","blockOwnerDeletion":true}]}})";
}

struct Owned : Scene {
  Owned() {
    owner = make("", "configmaps", R"({"metadata":{"name":"owner","namespace":"default"}})");
    make("", "configmaps", owned_by(owner));
  }
  void remove_owner(Propagation how) {
    static_cast<void>(api.remove({maps, "default", "owner"}, {.propagation = how}));
    run(seconds(5));
  }
  [[nodiscard]] ObjectPtr get(const char* name) const { return api.get({maps, "default", name}); }
  ObjectPtr owner;
  ResourceId maps = api.resource("", "configmaps");
};

TEST(OwnerGc, dependents_follow_their_owner) {
  Owned scene;
  scene.remove_owner(Propagation::Background);
  EXPECT_EQ(scene.get("owner"), nullptr);
  EXPECT_EQ(scene.get("dependent"), nullptr);
}

TEST(OwnerGc, in_the_foreground_the_owner_goes_last) {
  Owned scene;
  static_cast<void>(scene.api.update({scene.maps, "default", "dependent"}, [](Value& value) {
    set(value, {"metadata", "finalizers"}, JsonArray{"reprise.dev/hold"});
  }));
  scene.remove_owner(Propagation::Foreground);
  ASSERT_NE(scene.get("owner"), nullptr);
  EXPECT_TRUE(being_deleted(*scene.get("dependent")));
  static_cast<void>(scene.api.update({scene.maps, "default", "dependent"}, [](Value& value) {
    unset(value, {"metadata", "finalizers"});
  }));
  scene.run(seconds(5));
  EXPECT_EQ(scene.get("dependent"), nullptr);
  EXPECT_EQ(scene.get("owner"), nullptr);
}

TEST(OwnerGc, orphans_stay_and_forget_their_owner) {
  Owned scene;
  scene.remove_owner(Propagation::Orphan);
  EXPECT_EQ(scene.get("owner"), nullptr);
  ASSERT_NE(scene.get("dependent"), nullptr);
  EXPECT_TRUE(array(*scene.get("dependent"), {"metadata", "ownerReferences"}).empty());
}

TEST(OwnerGc, what_has_lost_its_reference_stays) {
  for (const Propagation how : {Propagation::Foreground, Propagation::Background}) {
    Owned scene;
    static_cast<void>(scene.api.update({scene.maps, "default", "dependent"}, [](Value& value) {
      unset(value, {"metadata", "ownerReferences"});
    }));
    scene.remove_owner(how);
    EXPECT_EQ(scene.get("owner"), nullptr);
    EXPECT_NE(scene.get("dependent"), nullptr);
  }
}

TEST(OwnerGc, what_has_another_owner_stays_with_that_one) {
  for (const Propagation how : {Propagation::Foreground, Propagation::Background}) {
    Owned scene;
    const ObjectPtr other = scene.make("", "configmaps", R"({"metadata":{"name":"other","namespace":"default"}})");
    static_cast<void>(scene.api.update({scene.maps, "default", "dependent"}, [&](Value& value) {
      JsonArray owners = array(value, {"metadata", "ownerReferences"});
      owners.push_back(
          JsonObject{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "other"}, {"uid", uid_of(*other)}});
      set(value, {"metadata", "ownerReferences"}, owners);
    }));
    scene.remove_owner(how);
    EXPECT_EQ(scene.get("owner"), nullptr);
    ASSERT_NE(scene.get("dependent"), nullptr);
    EXPECT_EQ(array(*scene.get("dependent"), {"metadata", "ownerReferences"}).size(), 1U);
  }
}

TEST(OwnerGc, an_object_of_an_owner_that_never_was_goes) {
  Scene scene;
  scene.make("", "configmaps", R"({"metadata":{"name":"stray","namespace":"default","ownerReferences":[
    {"apiVersion":"v1","kind":"ConfigMap","name":"gone","uid":"no-such-uid"}]}})");
  scene.run(seconds(5));
  EXPECT_EQ(scene.api.get({scene.api.resource("", "configmaps"), "default", "stray"}), nullptr);
}

TEST(OwnerGc, a_deleted_namespace_takes_along_what_is_in_it) {
  Scene scene;
  scene.make("", "namespaces", R"({"metadata":{"name":"vision"}})");
  scene.make("", "configmaps", R"({"metadata":{"name":"a","namespace":"vision"}})");
  static_cast<void>(scene.api.remove({scene.kinds.namespaces, "", "vision"}));
  scene.run(seconds(10));
  EXPECT_EQ(scene.api.get({scene.api.resource("", "configmaps"), "vision", "a"}), nullptr);
  EXPECT_EQ(scene.api.get({scene.kinds.namespaces, "", "vision"}), nullptr);
}

}  // namespace
}  // namespace reprise::simulator::testing
