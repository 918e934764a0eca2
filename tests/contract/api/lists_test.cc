#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

class Lists : public Contract {
 protected:
  static std::vector<std::string> names(const Reply& list) {
    std::vector<std::string> found;
    for (const Value& item : simulator::array(list.body, {"items"})) found.emplace_back(simulator::name_of(item));
    return found;
  }
  static std::string next(const Reply& page) { return std::string(page.text({"metadata", "continue"})); }
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(Lists, are_in_order_with_the_version_they_show) {
  for (const char* name : {"c", "a", "b"}) must_post(maps(), map(name));
  const Reply list = get(maps());
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.text({"kind"}), "ConfigMapList");
  EXPECT_THAT(names(list), ElementsAre("a", "b", "c"));
  EXPECT_GE(std::stoull(list.version()), std::stoull(get(maps("b")).version()));
}

TEST_F(Lists, are_in_order_of_the_bytes_of_names) {
  for (const char* name : {"ab", "a.b", "a", "a-b", "a0"}) must_post(maps(), map(name));
  EXPECT_THAT(names(get(maps())), ElementsAre("a", "a-b", "a.b", "a0", "ab"));
}

TEST_F(Lists, with_a_match_need_a_version_to_match) {
  const Reply rejected = get(maps() + "?resourceVersionMatch=Exact");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(),
              testing::HasSubstr("resourceVersionMatch is forbidden unless resourceVersion is provided"));
}

TEST_F(Lists, of_nothing_are_empty_and_have_a_version) {
  const Reply list = get(jobs());
  EXPECT_EQ(list.text({"kind"}), "ResumableJobList");
  EXPECT_EQ(list.text({"apiVersion"}), "reprise.dev/v1alpha1");
  EXPECT_THAT(names(list), IsEmpty());
  EXPECT_FALSE(list.version().empty());
}

TEST_F(Lists, show_one_namespace_or_all) {
  must_post(maps(), map(own("only")));
  EXPECT_THAT(names(get("/api/v1/configmaps")), testing::Contains(own("only")));
  EXPECT_THAT(names(get("/api/v1/namespaces/kube-public/configmaps")), testing::Not(testing::Contains(own("only"))));
}

TEST_F(Lists, come_in_pages_that_show_one_version) {
  for (const char* name : {"a", "b", "c", "d"}) must_post(maps(), map(name));
  const Reply first = get(maps() + "?limit=2");
  EXPECT_THAT(names(first), ElementsAre("a", "b"));
  EXPECT_EQ(first.number({"metadata", "remainingItemCount"}), 2);
  ASSERT_FALSE(next(first).empty());
  remove(maps("c"));
  must_post(maps(), map("e"));
  const Reply second = get(maps() + "?limit=2&continue=" + next(first));
  EXPECT_EQ(second.status, 200) << second.raw;
  EXPECT_THAT(names(second), ElementsAre("c", "d"));
  EXPECT_EQ(second.version(), first.version());
  EXPECT_EQ(next(second), "");
}

TEST_F(Lists, whose_version_was_compacted_go_on_inconsistently_if_one_wants) {
  for (const char* name : {"a", "b", "c"}) must_post(maps(), map(name));
  const Reply first = get(maps() + "?limit=1");
  must_post(maps(), map("d"));
  backend().compact();
  const Reply rejected = get(maps() + "?limit=1&continue=" + next(first));
  EXPECT_EQ(rejected.status, 410) << rejected.raw;
  EXPECT_EQ(rejected.reason(), "Expired");
  EXPECT_THAT(rejected.message(), testing::StartsWith("The provided continue parameter is too old to display a "
                                                      "consistent list result."));
  const Reply goes_on = get(maps() + "?continue=" + next(rejected));
  EXPECT_THAT(names(goes_on), ElementsAre("b", "c", "d"));
}

TEST_F(Lists, of_an_exact_version_show_what_was) {
  must_post(maps(), map("a"));
  const Reply then = get(maps());
  remove(maps("a"));
  must_post(maps(), map("b"));
  const Reply again = get(maps() + "?resourceVersionMatch=Exact&resourceVersion=" + then.version());
  EXPECT_EQ(again.status, 200) << again.raw;
  EXPECT_EQ(again.version(), then.version());
  EXPECT_THAT(names(again), testing::Contains("a"));
  EXPECT_THAT(names(again), testing::Not(testing::Contains("b")));
}

TEST_F(Lists, of_a_version_that_is_not_yet_time_out) {
  const Reply rejected = get(maps() + "?resourceVersionMatch=NotOlderThan&resourceVersion=999999999");
  EXPECT_EQ(rejected.status, 504);
  EXPECT_EQ(rejected.reason(), "Timeout");
  EXPECT_THAT(rejected.message(), testing::HasSubstr("Too large resource version: 999999999"));
  const auto& causes = simulator::array(rejected.body, {"details", "causes"});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(simulator::text(causes[0], {"reason"}), "ResourceVersionTooLarge");
  EXPECT_EQ(rejected.number({"details", "retryAfterSeconds"}), 1);
}

TEST_F(Lists, are_selected_by_labels) {
  must_post(maps(), map("a", "x"));
  must_post(maps(), map("b", "y"));
  must_post(maps(), map("c"));
  const auto selected = [this](const std::string& selector) {
    auto found = names(get(maps() + "?labelSelector=" + selector));
    std::erase(found, "kube-root-ca.crt");
    return found;
  };
  EXPECT_THAT(selected("app%3Dx"), ElementsAre("a"));
  EXPECT_THAT(selected("app%3D%3Dx"), ElementsAre("a"));
  EXPECT_THAT(selected("app%21%3Dx"), ElementsAre("b", "c"));
  EXPECT_THAT(selected("app"), ElementsAre("a", "b"));
  EXPECT_THAT(selected("%21app"), ElementsAre("c"));
  EXPECT_THAT(selected("app%20in%20%28x%2Cy%29"), ElementsAre("a", "b"));
  EXPECT_THAT(selected("app%20notin%20%28x%29"), ElementsAre("b", "c"));
  EXPECT_THAT(selected("app%2Capp%21%3Dx"), ElementsAre("b"));
}

TEST_F(Lists, are_not_selected_by_what_is_no_selector) {
  const Reply rejected = get(maps() + "?labelSelector=a%20b%20c");
  EXPECT_EQ(rejected.status, 400);
  EXPECT_EQ(rejected.reason(), "BadRequest");
}

TEST_F(Lists, of_pods_are_selected_by_node_and_phase) {
  must_post(pods(), pod("a"));
  must_post(pods(), pod("b"));
  bind("a", "node-a");
  EXPECT_THAT(names(get(pods() + "?fieldSelector=spec.nodeName%3Dnode-a")), ElementsAre("a"));
  EXPECT_THAT(names(get(pods() + "?fieldSelector=spec.nodeName%3D")), ElementsAre("b"));
  EXPECT_THAT(names(get(pods() + "?fieldSelector=status.phase%3DPending")), ElementsAre("a", "b"));
  EXPECT_THAT(names(get(pods() + "?fieldSelector=status.phase%21%3DPending")), IsEmpty());
  EXPECT_THAT(names(get(pods() + "?fieldSelector=metadata.name%3Db%2Cspec.nodeName%3D")), ElementsAre("b"));
}

TEST_F(Lists, of_custom_resources_are_selected_by_the_fields_they_declare) {
  must_post(jobs(), job("a"));
  Value other = job("b");
  simulator::set(other, {"spec", "poolName"}, "l4");
  must_post(jobs(), other);
  EXPECT_THAT(names(get(jobs() + "?fieldSelector=spec.poolName%3Dl4")), ElementsAre("b"));
  EXPECT_THAT(names(get(jobs() + "?fieldSelector=metadata.name%3Da")), ElementsAre("a"));
}

TEST_F(Lists, are_not_selected_by_other_fields) {
  for (const std::string& path :
       {maps() + "?fieldSelector=data.k%3Dv", jobs() + "?fieldSelector=spec.resume%3DLatest"}) {
    const Reply rejected = get(path);
    EXPECT_EQ(rejected.status, 400) << path;
    EXPECT_EQ(rejected.reason(), "BadRequest");
  }
}

TEST_F(Lists, show_metadata_alone_when_asked) {
  must_post(maps(), map("a"));
  const Reply list =
      call(runtime::Method::Get, maps(), {}, {}, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  EXPECT_EQ(list.text({"kind"}), "PartialObjectMetadataList");
  EXPECT_EQ(list.text({"apiVersion"}), "meta.k8s.io/v1");
  const auto& items = simulator::array(list.body, {"items"});
  ASSERT_GE(items.size(), 1U);
  EXPECT_EQ(simulator::name_of(items[0]), "a");
  EXPECT_EQ(simulator::find(items[0], {"data"}), nullptr);
  const Reply one =
      call(runtime::Method::Get, maps("a"), {}, {}, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  EXPECT_EQ(one.text({"kind"}), "PartialObjectMetadata");
  EXPECT_FALSE(one.has({"data"}));
}

}  // namespace
}  // namespace reprise::contract
