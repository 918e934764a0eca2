// Cases that tests/contract cannot bring about on a real server: a watch against time and against compaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/testing/virtual_clock.h"
#include "simulator/api_server/api_server.h"

namespace reprise::simulator {
namespace {

class WatchCursors : public testing::Test {
 protected:
  void make(std::string_view plural, std::string_view name) {
    const Value object = {{"metadata", {{"name", Value(name)}, {"namespace", "default"}}}};
    ASSERT_TRUE(server.create(server.resource("", plural), object));
  }
  std::unique_ptr<WatchCursor> watch(const std::string& more = {}) {
    return server
        .watch({.path_and_query = "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=" +
                                  std::to_string(server.version()) + more})
        .cursor;
  }

  runtime::testing::VirtualClock clock;
  runtime::SeededRandom random{7};
  ApiServer server{clock, random};
};

TEST_F(WatchCursors, that_missed_nothing_outlive_a_compaction) {
  const auto cursor = watch();
  make("secrets", "s");
  server.compact();
  EXPECT_FALSE(cursor->next());
  make("configmaps", "a");
  EXPECT_THAT(cursor->next().value_or(""), testing::StartsWith(R"({"type":"ADDED")"));
}

TEST_F(WatchCursors, that_missed_something_end_with_an_error_frame) {
  const auto cursor = watch();
  make("configmaps", "a");
  server.compact();
  EXPECT_THAT(cursor->next().value_or(""), testing::StartsWith(R"({"type":"ERROR")"));
  EXPECT_TRUE(cursor->ended());
  EXPECT_FALSE(cursor->next());
}

TEST_F(WatchCursors, end_at_the_time_that_the_client_chose) {
  const auto cursor = watch("&timeoutSeconds=10");
  clock.advance(std::chrono::seconds(9));
  EXPECT_FALSE(cursor->ended());
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(cursor->ended());
  make("configmaps", "a");
  EXPECT_FALSE(cursor->next());
}

TEST_F(WatchCursors, bookmark_what_was_delivered_and_no_more) {
  const auto cursor = watch();
  const std::string before = std::to_string(server.version());
  make("configmaps", "a");
  EXPECT_THAT(cursor->bookmark().value_or(""), testing::HasSubstr("\"resourceVersion\":\"" + before + "\""));
  ASSERT_TRUE(cursor->next());
  make("secrets", "s");
  EXPECT_THAT(cursor->bookmark().value_or(""),
              testing::HasSubstr("\"resourceVersion\":\"" + std::to_string(server.version()) + "\""));
}

TEST_F(WatchCursors, show_a_list_as_it_was_when_they_were_opened) {
  make("configmaps", "a");
  const auto cursor = server
                          .watch({.path_and_query = "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&"
                                                    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"})
                          .cursor;
  ASSERT_TRUE(server.remove({server.resource("", "configmaps"), "default", "a"}));
  EXPECT_THAT(cursor->next().value_or(""), testing::StartsWith(R"({"type":"ADDED")"));
  EXPECT_THAT(cursor->next().value_or(""), testing::HasSubstr("k8s.io/initial-events-end"));
  EXPECT_THAT(cursor->next().value_or(""), testing::StartsWith(R"({"type":"DELETED")"));
}

}  // namespace
}  // namespace reprise::simulator
