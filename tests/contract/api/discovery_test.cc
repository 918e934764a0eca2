#include <algorithm>

#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Discovery = Contract;

bool any_named(const simulator::JsonArray& list, std::string_view field, std::string_view wanted) {
  return std::ranges::any_of(list, [&](const Value& each) { return simulator::text(each, {field}) == wanted; });
}

TEST_F(Discovery, lists_the_resources_of_a_version_of_a_group) {
  const Reply listed = get("/apis/reprise.dev/v1alpha1");
  ASSERT_EQ(listed.status, 200) << listed.raw;
  EXPECT_EQ(listed.text({"kind"}), "APIResourceList");
  EXPECT_EQ(listed.text({"groupVersion"}), "reprise.dev/v1alpha1");
  const auto& resources = simulator::array(listed.body, {"resources"});
  EXPECT_TRUE(any_named(resources, "name", "resumablejobs"));
  EXPECT_FALSE(any_named(resources, "name", "trumpets"));
  EXPECT_TRUE(any_named(simulator::array(get("/api/v1").body, {"resources"}), "name", "pods"));
}

TEST_F(Discovery, lists_groups_with_their_versions) {
  const Reply listed = get("/apis");
  ASSERT_EQ(listed.status, 200) << listed.raw;
  EXPECT_EQ(listed.text({"kind"}), "APIGroupList");
  const auto& groups = simulator::array(listed.body, {"groups"});
  const auto ours =
      std::ranges::find_if(groups, [](const Value& each) { return simulator::text(each, {"name"}) == "reprise.dev"; });
  ASSERT_NE(ours, groups.end());
  EXPECT_TRUE(any_named(simulator::array(*ours, {"versions"}), "version", "v1alpha1"));
  EXPECT_FALSE(any_named(groups, "name", "orchestra.dev"));
}

TEST_F(Discovery, what_is_not_served_is_a_page_that_is_not_there) {
  for (const char* path : {"/apis/orchestra.dev/v1", "/apis/orchestra.dev/v1/trumpets",
                           "/apis/reprise.dev/v1alpha1/trumpets", "/apis/reprise.dev/v9/gpupools"}) {
    const Reply rejected = get(path);
    EXPECT_EQ(rejected.status, 404) << path;
    EXPECT_EQ(rejected.raw, "404 page not found\n") << path;
  }
}

}  // namespace
}  // namespace reprise::contract
