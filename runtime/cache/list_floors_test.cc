// Which lists prove to an owner that the cache shows what was written before them.
#include "runtime/cache/floors.h"
#include "runtime/cache/informer_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::InJson;
using testing::Thing;

struct ListFloorsTest : ::testing::Test, testing::World<InJson> {
  ListFloorsTest() {
    floors.add_store(api::KindOf<Thing>::info(), informer.store());
    go_live();
  }
  bool ready() {
    floors.advanced();
    return floors.ready_or_wake("job", [] {});
  }
  Floors floors;
};

TEST_F(ListFloorsTest, a_list_that_needs_only_be_not_older_than_what_was_seen_proves_no_later_write) {
  floors.wrote("job", api::KindOf<Thing>::info(), "n", "120");
  floors.removed("job", api::KindOf<Thing>::info(), "n", "u-a", "90");
  gone();
  executor.advance(seconds(1));
  ASSERT_TRUE(last_request_has("resourceVersion=100"));
  stream().status(200);
  send("ADDED", {.name = "a", .version = 90});
  bookmark(110, true);  // of an API server that lags behind the one that took the writes
  EXPECT_FALSE(ready());
  send("DELETED", {.name = "a", .version = 119});
  EXPECT_FALSE(ready());
  send("ADDED", {.name = "b", .version = 120});
  EXPECT_TRUE(ready());
}

TEST_F(ListFloorsTest, a_list_of_the_newest_state_proves_all_writes_before_it_also_where_versions_went_back) {
  floors.wrote("job", api::KindOf<Thing>::info(), "n", "120");
  informer.look_again("", true);
  ASSERT_FALSE(last_request_has("resourceVersion="));
  stream().status(200);
  bookmark(80, true);
  EXPECT_TRUE(ready());
}

}  // namespace
}  // namespace reprise::runtime
