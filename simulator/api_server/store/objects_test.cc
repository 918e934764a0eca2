// The direct face, on which the cluster's own actors rely. tests/contract holds the wire face, on which clients rely.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "runtime/testing/virtual_clock.h"
#include "simulator/api_server/api_server.h"

namespace reprise::simulator {
namespace {

using runtime::ErrorClass;

class Objects : public testing::Test {
 protected:
  Value pod(std::string_view name) {
    return {{"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec", {{"containers", {{{"name", "main"}, {"image", "trainer:1"}}}}}}};
  }
  ObjectPtr create(std::string_view name) {
    auto made = server.create(pods, pod(name));
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? *made : nullptr;
  }
  [[nodiscard]] ObjectAddress at(std::string_view name) const { return {pods, "default", name}; }
  std::vector<Change> changes(std::uint64_t after) const {
    std::vector<Change> found;
    for (const ObjectChange& change : server.changes_after(after)) found.push_back(change.change);
    return found;
  }

  runtime::testing::VirtualClock clock;
  runtime::SeededRandom random{7};
  ApiServer server{clock, random};
  ResourceId pods = server.resource("", "pods");
};

TEST_F(Objects, a_new_object_has_a_uid_a_version_and_a_time) {
  const ObjectPtr made = create("a");
  EXPECT_THAT(std::string(uid_of(*made)),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(text(*made, {"metadata", "resourceVersion"}), std::to_string(server.version()));
  EXPECT_EQ(text(*made, {"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(number(*made, {"metadata", "generation"}), 1);
}

TEST_F(Objects, one_seed_gives_one_uid) {
  runtime::SeededRandom same{7};
  ApiServer other(clock, same);
  EXPECT_EQ(uid_of(*create("a")), uid_of(**other.create(pods, pod("a"))));
}

TEST_F(Objects, what_is_drawn_from_elsewhere_leaves_the_uids_of_others_as_they_were) {
  runtime::SeededRandom same{7}, elsewhere{8};
  ApiServer other(clock, same);
  const auto drawn = other.create(pods, pod("first"), &elsewhere);
  ASSERT_TRUE(drawn);
  EXPECT_EQ(uid_of(**other.create(pods, pod("a"))), uid_of(*create("a")));
  EXPECT_NE(uid_of(**drawn), uid_of(*create("b")));
}

TEST_F(Objects, a_version_never_changes) {
  const ObjectPtr first = create("a");
  const auto before = std::make_unique<const Value>(*first);
  ASSERT_TRUE(server.update(at("a"), [](Value& object) { set(object, {"metadata", "labels", "x"}, "1"); }));
  EXPECT_EQ(*first, *before);
  EXPECT_EQ(text(*server.get(at("a")), {"metadata", "labels", "x"}), "1");
}

TEST_F(Objects, who_listens_to_one_kind_hears_of_that_kind_and_in_the_order_of_listening) {
  std::vector<std::string> heard;
  const auto all = server.subscribe([&](const ObjectChange&) { heard.emplace_back("all"); });
  const auto nodes =
      server.subscribe(server.resource("", "nodes"), [&](const ObjectChange&) { heard.emplace_back("nodes"); });
  auto of_pods = server.subscribe(pods, [&](const ObjectChange&) { heard.emplace_back("pods"); });
  const auto last = server.subscribe([&](const ObjectChange&) { heard.emplace_back("last"); });
  create("a");
  EXPECT_THAT(heard, testing::ElementsAre("all", "pods", "last"));
  of_pods.reset();
  heard.clear();
  create("b");
  EXPECT_THAT(heard, testing::ElementsAre("all", "last"));
}

TEST_F(Objects, an_equal_write_is_no_write) {
  create("a");
  const auto before = server.version();
  ASSERT_TRUE(server.update(at("a"), [](Value&) {}));
  EXPECT_EQ(server.version(), before);
}

TEST_F(Objects, status_is_written_through_its_own_door) {
  create("a");
  ASSERT_TRUE(server.update(at("a"), [](Value& object) { set(object, {"status", "phase"}, "Running"); }));
  EXPECT_EQ(text(*server.get(at("a")), {"status", "phase"}), "Pending");
  ASSERT_TRUE(server.update(
      at("a"),
      [](Value& object) {
        set(object, {"status", "phase"}, "Running");
        set(object, {"spec", "nodeName"}, "n");
      },
      "status"));
  EXPECT_EQ(text(*server.get(at("a")), {"status", "phase"}), "Running");
  EXPECT_EQ(text(*server.get(at("a")), {"spec", "nodeName"}), "");
}

TEST_F(Objects, a_bound_pod_stays_until_its_kubelet_lets_it_go) {
  create("a");
  ASSERT_TRUE(server.bind("default", "a", "n"));
  ASSERT_TRUE(server.remove(at("a")));
  ASSERT_NE(server.get(at("a")), nullptr);
  EXPECT_EQ(number(*server.get(at("a")), {"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_EQ(text(*server.get(at("a")), {"metadata", "deletionTimestamp"}), "2026-01-01T00:00:30Z");
  ASSERT_TRUE(server.remove(at("a"), {.grace_seconds = 60}));
  EXPECT_EQ(number(*server.get(at("a")), {"metadata", "deletionGracePeriodSeconds"}), 30);
  ASSERT_TRUE(server.remove(at("a"), {.grace_seconds = 5}));
  EXPECT_EQ(text(*server.get(at("a")), {"metadata", "deletionTimestamp"}), "2026-01-01T00:00:05Z");
  ASSERT_TRUE(server.remove(at("a"), {.grace_seconds = 0}));
  EXPECT_EQ(server.get(at("a")), nullptr);
}

TEST_F(Objects, an_unbound_pod_goes_at_once) {
  create("a");
  ASSERT_TRUE(server.remove(at("a")));
  EXPECT_EQ(server.get(at("a")), nullptr);
}

TEST_F(Objects, a_pod_is_bound_once) {
  create("a");
  ASSERT_TRUE(server.bind("default", "a", "n"));
  const auto again = server.bind("default", "a", "m");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().error_class, ErrorClass::Conflict);
}

TEST_F(Objects, finalizers_keep_what_is_deleted) {
  Value held = pod("a");
  set(held, {"metadata", "finalizers"}, JsonArray{"example.org/hold"});
  ASSERT_TRUE(server.create(pods, held));
  ASSERT_TRUE(server.remove(at("a")));
  ASSERT_NE(server.get(at("a")), nullptr);
  EXPECT_TRUE(being_deleted(*server.get(at("a"))));
  ASSERT_TRUE(server.update(at("a"), [](Value& object) { unset(object, {"metadata", "finalizers"}); }));
  EXPECT_EQ(server.get(at("a")), nullptr);
}

TEST_F(Objects, a_deletion_by_another_uid_does_nothing) {
  create("a");
  const auto rejected = server.remove(at("a"), {.uid = "another"});
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error().error_class, ErrorClass::Conflict);
  EXPECT_NE(server.get(at("a")), nullptr);
}

TEST_F(Objects, changes_tell_before_and_after_in_order) {
  const auto start = server.version();
  create("a");
  ASSERT_TRUE(server.update(at("a"), [](Value& object) { set(object, {"metadata", "labels", "x"}, "1"); }));
  ASSERT_TRUE(server.bind("default", "a", "n"));
  ASSERT_TRUE(server.remove(at("a"), {.grace_seconds = 0}));
  EXPECT_THAT(changes(start), testing::ElementsAre(Change::Added, Change::Modified, Change::Modified, Change::Modified,
                                                   Change::Deleted));
  const auto all = server.changes_after(start);
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].before, all[i - 1].object);
    EXPECT_EQ(all[i].version, all[i - 1].version + 1);
  }
}

TEST_F(Objects, who_subscribes_hears_each_change_once_and_no_more_when_gone) {
  int heard = 0;
  auto subscription = server.subscribe([&](const ObjectChange& change) {
    ++heard;
    EXPECT_EQ(server.version(), change.version);
  });
  create("a");
  EXPECT_EQ(heard, 1);
  subscription.reset();
  create("b");
  EXPECT_EQ(heard, 1);
}

TEST_F(Objects, what_is_compacted_is_forgotten) {
  create("a");
  server.compact();
  EXPECT_TRUE(server.changes_after(0).empty());
  create("b");
  EXPECT_EQ(server.changes_after(0).size(), 1U);
}

TEST_F(Objects, lists_are_in_order_of_namespace_and_name) {
  for (const char* name : {"c", "a", "b"}) create(name);
  std::vector<std::string> names;
  for (const ObjectPtr& object : server.list(pods, "default")) names.emplace_back(name_of(*object));
  EXPECT_THAT(names, testing::ElementsAre("a", "b", "c"));
  EXPECT_TRUE(server.list(pods, "kube-system").empty());
}

TEST_F(Objects, a_namespace_must_be_there_and_not_on_its_way_out) {
  Value elsewhere = pod("a");
  set(elsewhere, {"metadata", "namespace"}, "vision");
  EXPECT_EQ(server.create(pods, elsewhere).error().error_class, ErrorClass::NotFound);
  const ResourceId namespaces = server.resource("", "namespaces");
  ASSERT_TRUE(server.create(namespaces, {{"metadata", {{"name", "vision"}}}}));
  EXPECT_TRUE(server.create(pods, elsewhere));
  ASSERT_TRUE(server.remove({namespaces, "", "vision"}));
  set(elsewhere, {"metadata", "name"}, "b");
  EXPECT_EQ(server.create(pods, elsewhere).error().error_class, ErrorClass::Forbidden);
  ASSERT_TRUE(server.update(
      {namespaces, "", "vision"},
      [](Value& object) {
        set(object, {"spec", "finalizers"}, JsonArray{});
      },
      "finalize"));
  EXPECT_EQ(server.get({namespaces, "", "vision"}), nullptr);
}

}  // namespace
}  // namespace reprise::simulator
