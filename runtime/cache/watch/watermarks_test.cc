#include "runtime/cache/watch/watermarks.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace reprise::runtime {
namespace {

constexpr kube::KindInfo pods{"", "v1", "Pod", "pods", true};

struct FakeStore final : StoreView {
  [[nodiscard]] bool absent() const override { return false; }
  [[nodiscard]] std::optional<std::string> scope_of(std::string_view ns) const override {
    return ns == "n" ? std::optional<std::string>("n") : std::nullopt;
  }
  [[nodiscard]] std::string resource_version(std::string_view) const override { return version; }
  [[nodiscard]] bool holds_undeleted(std::string_view uid) const override { return live.contains(std::string(uid)); }
  [[nodiscard]] std::uint64_t lists_begun(std::string_view) const override { return begun; }
  [[nodiscard]] std::uint64_t list_in_use(std::string_view) const override { return in_use; }

  std::string version = "99";
  std::set<std::string> live;
  std::uint64_t begun = 1, in_use = 1;
};

struct WatermarksTest : ::testing::Test {
  WatermarksTest() { watermarks.add_store(pods, store); }
  bool ready(const std::string& owner) {
    watermarks.advanced();
    return watermarks.ready_or_wake(owner, [this] { ++woken; });
  }
  FakeStore store;
  Watermarks watermarks;
  int woken = 0;
};

TEST_F(WatermarksTest, an_owner_waits_until_the_store_shows_its_write) {
  watermarks.wrote("job", pods, "n", "100");
  EXPECT_FALSE(ready("job"));
  watermarks.advanced();
  EXPECT_EQ(woken, 0);
  store.version = "100";
  watermarks.advanced();
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(ready("job"));
  EXPECT_EQ(watermarks.waiting(), 0U);
}

TEST_F(WatermarksTest, versions_are_compared_as_numbers_of_any_length) {
  watermarks.wrote("job", pods, "n", "340282366920938463463374607431768211455");
  store.version = "99999999999999999999";
  EXPECT_FALSE(ready("job"));
  store.version = "340282366920938463463374607431768211456";
  EXPECT_TRUE(ready("job"));
}

TEST_F(WatermarksTest, other_owners_do_not_wait) {
  watermarks.wrote("job", pods, "n", "100");
  EXPECT_TRUE(ready("other"));
}

TEST_F(WatermarksTest, the_highest_of_several_writes_counts) {
  watermarks.wrote("job", pods, "n", "100");
  watermarks.wrote("job", pods, "n", "120");
  store.version = "110";
  EXPECT_FALSE(ready("job"));
  store.version = "120";
  EXPECT_TRUE(ready("job"));
}

TEST_F(WatermarksTest, a_removed_object_must_be_gone_or_deleting) {
  store.live.insert("pod-uid");
  watermarks.removed("job", pods, "n", "pod-uid", "90");
  store.version = "500";
  EXPECT_FALSE(ready("job"));
  store.live.clear();
  EXPECT_TRUE(ready("job"));
}

TEST_F(WatermarksTest, an_object_that_was_removed_before_the_store_knew_it_must_be_known_and_gone) {
  watermarks.removed("job", pods, "n", "pod-uid", "100");
  EXPECT_FALSE(ready("job"));
  store.version = "100";
  store.live.insert("pod-uid");  // the late event that shows it alive
  EXPECT_FALSE(ready("job"));
  store.version = "101";
  store.live.clear();
  EXPECT_TRUE(ready("job"));
}

TEST_F(WatermarksTest, a_removal_of_which_no_version_is_known_waits_for_what_the_store_holds_only) {
  watermarks.removed("job", pods, "n", "pod-uid", "");
  EXPECT_TRUE(ready("job"));
}

TEST_F(WatermarksTest, a_list_that_began_after_the_write_ends_the_wait_even_if_versions_went_back) {
  watermarks.wrote("job", pods, "n", "100");
  EXPECT_FALSE(ready("job"));
  store.begun = 2;
  watermarks.advanced();
  EXPECT_EQ(woken, 0);
  store.in_use = 2;
  store.version = "7";
  watermarks.advanced();
  EXPECT_EQ(woken, 1);
}

TEST_F(WatermarksTest, a_list_that_began_before_the_write_does_not_end_the_wait) {
  store.begun = 2;
  watermarks.wrote("job", pods, "n", "100");
  store.in_use = 2;
  EXPECT_FALSE(ready("job"));
}

// A history that replays from its seed must not depend on where things lie in memory.
TEST(Watermarks, owners_that_are_woken_at_once_are_woken_in_the_order_in_which_their_stores_were_added) {
  constexpr kube::KindInfo services{"", "v1", "Service", "services", true};
  for (const bool ascending : {true, false}) {
    std::array<FakeStore, 2> side_by_side;
    FakeStore& first = side_by_side[ascending ? 0 : 1];
    FakeStore& second = side_by_side[ascending ? 1 : 0];
    Watermarks watermarks;
    watermarks.add_store(pods, first);
    watermarks.add_store(services, second);
    std::string woken;
    watermarks.wrote("of-services", services, "n", "100");
    watermarks.wrote("of-pods", pods, "n", "100");
    EXPECT_FALSE(watermarks.ready_or_wake("of-services", [&] { woken += " services"; }));
    EXPECT_FALSE(watermarks.ready_or_wake("of-pods", [&] { woken += " pods"; }));
    first.version = second.version = "100";
    watermarks.advanced();
    EXPECT_EQ(woken, " pods services");
  }
}

TEST_F(WatermarksTest, what_no_store_follows_is_not_waited_for) {
  watermarks.wrote("job", {"", "v1", "Service", "services", true}, "n", "100");
  watermarks.wrote("job", pods, "elsewhere", "100");
  EXPECT_FALSE(watermarks.covers({"", "v1", "Service", "services", true}, "n"));
  EXPECT_FALSE(watermarks.covers(pods, "elsewhere"));
  EXPECT_TRUE(watermarks.covers(pods, "n"));
  EXPECT_TRUE(ready("job"));
}

}  // namespace
}  // namespace reprise::runtime
