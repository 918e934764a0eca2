// Lists that prove to an owner that the cache shows the writes before them.
#include "runtime/cache/informer_for_tests.h"
#include "runtime/cache/watch/watermarks.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::InJson;
using testing::Thing;

struct ListWatermarksTest : ::testing::Test, testing::World<InJson> {
  ListWatermarksTest() {
    watermarks.add_store(kube::KindOf<Thing>::info(), informer.store());
    go_live();
  }
  bool ready() {
    watermarks.advanced();
    return watermarks.ready_or_wake("job", [] {});
  }
  Watermarks watermarks;
};

TEST_F(ListWatermarksTest, a_list_that_needs_only_be_not_older_than_what_was_seen_proves_no_later_write) {
  watermarks.wrote("job", kube::KindOf<Thing>::info(), "n", "120");
  watermarks.removed("job", kube::KindOf<Thing>::info(), "n", "u-a", "90");
  gone();
  executor.advance(seconds(1));
  ASSERT_TRUE(last_request_has("resourceVersion=100"));
  stream().status(200);
  send("ADDED", {.name = "a", .version = 90});
  bookmark(110, true);  // from an API server that lags behind the one that took the writes
  EXPECT_FALSE(ready());
  send("DELETED", {.name = "a", .version = 119});
  EXPECT_FALSE(ready());
  send("ADDED", {.name = "b", .version = 120});
  EXPECT_TRUE(ready());
}

TEST_F(ListWatermarksTest, a_list_of_the_newest_state_proves_all_writes_before_it_also_where_versions_went_back) {
  watermarks.wrote("job", kube::KindOf<Thing>::info(), "n", "120");
  informer.look_again("", true);
  ASSERT_FALSE(last_request_has("resourceVersion="));
  stream().status(200);
  bookmark(80, true);
  EXPECT_TRUE(ready());
}

}  // namespace
}  // namespace reprise::runtime
