#include "runtime/cache/floors.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace reprise::runtime {
namespace {

constexpr api::KindInfo pods{"", "v1", "Pod", "pods", true};

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

struct FloorsTest : ::testing::Test {
  FloorsTest() { floors.add_store(pods, store); }
  bool ready(const std::string& owner) {
    floors.advanced();
    return floors.ready_or_wake(owner, [this] { ++woken; });
  }
  FakeStore store;
  Floors floors;
  int woken = 0;
};

TEST_F(FloorsTest, an_owner_waits_until_the_store_shows_its_write) {
  floors.wrote("job", pods, "n", "100");
  EXPECT_FALSE(ready("job"));
  floors.advanced();
  EXPECT_EQ(woken, 0);
  store.version = "100";
  floors.advanced();
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(ready("job"));
  EXPECT_EQ(floors.waiting(), 0U);
}

TEST_F(FloorsTest, versions_are_compared_as_numbers_of_any_length) {
  floors.wrote("job", pods, "n", "340282366920938463463374607431768211455");
  store.version = "99999999999999999999";
  EXPECT_FALSE(ready("job"));
  store.version = "340282366920938463463374607431768211456";
  EXPECT_TRUE(ready("job"));
}

TEST_F(FloorsTest, other_owners_do_not_wait) {
  floors.wrote("job", pods, "n", "100");
  EXPECT_TRUE(ready("other"));
}

TEST_F(FloorsTest, the_highest_of_several_writes_counts) {
  floors.wrote("job", pods, "n", "100");
  floors.wrote("job", pods, "n", "120");
  store.version = "110";
  EXPECT_FALSE(ready("job"));
  store.version = "120";
  EXPECT_TRUE(ready("job"));
}

TEST_F(FloorsTest, a_removed_object_must_be_gone_or_deleting) {
  store.live.insert("pod-uid");
  floors.removed("job", pods, "n", "pod-uid", "90");
  store.version = "500";
  EXPECT_FALSE(ready("job"));
  store.live.clear();
  EXPECT_TRUE(ready("job"));
}

TEST_F(FloorsTest, an_object_that_was_removed_before_the_store_knew_it_must_be_known_and_gone) {
  floors.removed("job", pods, "n", "pod-uid", "100");
  EXPECT_FALSE(ready("job"));
  store.version = "100";
  store.live.insert("pod-uid");  // the late event that shows it alive
  EXPECT_FALSE(ready("job"));
  store.version = "101";
  store.live.clear();
  EXPECT_TRUE(ready("job"));
}

TEST_F(FloorsTest, a_removal_of_which_no_version_is_known_waits_for_what_the_store_holds_only) {
  floors.removed("job", pods, "n", "pod-uid", "");
  EXPECT_TRUE(ready("job"));
}

TEST_F(FloorsTest, a_list_that_began_after_the_write_ends_the_wait_even_if_versions_went_back) {
  floors.wrote("job", pods, "n", "100");
  EXPECT_FALSE(ready("job"));
  store.begun = 2;
  floors.advanced();
  EXPECT_EQ(woken, 0);
  store.in_use = 2;
  store.version = "7";
  floors.advanced();
  EXPECT_EQ(woken, 1);
}

TEST_F(FloorsTest, a_list_that_began_before_the_write_does_not_end_the_wait) {
  store.begun = 2;
  floors.wrote("job", pods, "n", "100");
  store.in_use = 2;
  EXPECT_FALSE(ready("job"));
}

// A history that replays from its seed must not depend on where things lie in memory.
TEST(Floors, owners_that_are_woken_at_once_are_woken_in_the_order_in_which_their_stores_were_added) {
  constexpr api::KindInfo services{"", "v1", "Service", "services", true};
  for (const bool ascending : {true, false}) {
    std::array<FakeStore, 2> side_by_side;
    FakeStore& first = side_by_side[ascending ? 0 : 1];
    FakeStore& second = side_by_side[ascending ? 1 : 0];
    Floors floors;
    floors.add_store(pods, first);
    floors.add_store(services, second);
    std::string woken;
    floors.wrote("of-services", services, "n", "100");
    floors.wrote("of-pods", pods, "n", "100");
    EXPECT_FALSE(floors.ready_or_wake("of-services", [&] { woken += " services"; }));
    EXPECT_FALSE(floors.ready_or_wake("of-pods", [&] { woken += " pods"; }));
    first.version = second.version = "100";
    floors.advanced();
    EXPECT_EQ(woken, " pods services");
  }
}

TEST_F(FloorsTest, what_no_store_follows_is_not_waited_for) {
  floors.wrote("job", {"", "v1", "Service", "services", true}, "n", "100");
  floors.wrote("job", pods, "elsewhere", "100");
  EXPECT_FALSE(floors.covers({"", "v1", "Service", "services", true}, "n"));
  EXPECT_FALSE(floors.covers(pods, "elsewhere"));
  EXPECT_TRUE(floors.covers(pods, "n"));
  EXPECT_TRUE(ready("job"));
}

}  // namespace
}  // namespace reprise::runtime
