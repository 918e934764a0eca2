#include "runtime/cache/informer.h"

#include <gtest/gtest.h>

#include "runtime/cache/line_framer.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::Thing;
using testing::VirtualClock;

std::string object(const std::string& name, int version, const std::string& more = "") {
  return testing::thing_json(name, version, more);
}
std::string event(const std::string& type, const std::string& of) {
  return R"({"type":")" + type + R"(","object":)" + of + "}";
}
std::string bookmark(int version, bool end = false) {
  return R"({"type":"BOOKMARK","object":{"kind":"Thing","metadata":{"resourceVersion":")" + std::to_string(version) +
         "\"" + (end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}}";
}
std::string gone_event() {
  return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old",)"
         R"("reason":"Expired","code":410}})";
}

struct Recorder final : Listener<Thing> {
  void on_add(const Thing& now) override { seen.push_back("+" + now.meta.name); }
  void on_update(const Thing& old, const Thing& now) override {
    seen.push_back("~" + now.meta.name + ":" + old.meta.resource_version + ">" + now.meta.resource_version);
  }
  void on_delete(std::shared_ptr<const Thing> last, bool unknown) override {
    seen.push_back("-" + last->meta.name + (unknown ? "?" : ""));
  }
  std::vector<std::string> take() { return std::exchange(seen, {}); }
  std::vector<std::string> seen;
};
using Seen = std::vector<std::string>;

struct InformerTest : ::testing::Test {
  InformerTest() { informer.add_listener(recorder); }
  ScriptedTransport::ServedStream& stream() { return transport.last_stream(); }
  void start() {
    informer.start();
    executor.settle();
  }
  // One object "a" at version 90, live at 100.
  void go_live() {
    start();
    stream().status(200);
    stream().line(event("ADDED", object("a", 90)));
    stream().line(bookmark(100, true));
    ASSERT_EQ(recorder.take(), Seen{"+a"});
  }
  [[nodiscard]] bool last_request_has(const std::string& part) const {
    return transport.requests().back().path_and_query.find(part) != std::string::npos;
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  MetricsRegistry metrics;
  Informer<Thing> informer{WatchEnvironment{transport, executor, clock, random, *logger, metrics},
                           InformerScope{.namespaces = {}, .label_selector = "app=x", .field_selector = {}}};
  Recorder recorder;
};

TEST_F(InformerTest, asks_for_a_streaming_list_with_bookmarks_and_its_selector) {
  start();
  for (const char* part : {"/apis/test.dev/v1/things?", "watch=true", "allowWatchBookmarks=true",
                           "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "labelSelector=app%3Dx"}) {
    EXPECT_TRUE(last_request_has(part)) << part;
  }
}

TEST_F(InformerTest, nobody_sees_a_half_filled_cache) {
  start();
  stream().status(200);
  stream().line(event("ADDED", object("a", 90)));
  EXPECT_FALSE(informer.synced());
  EXPECT_EQ(informer.store().size(), 0U);
  EXPECT_EQ(recorder.take(), Seen{});
  stream().line(bookmark(100, true));
  EXPECT_TRUE(informer.synced());
  EXPECT_EQ(informer.store().resource_version(), "100");
  EXPECT_EQ(recorder.take(), Seen{"+a"});
}

TEST_F(InformerTest, a_line_over_many_chunks_is_one_event) {
  go_live();
  for (const char c : event("MODIFIED", object("a", 101)) + "\n") stream().bytes(std::string(1, c));
  EXPECT_EQ(recorder.take(), Seen{"~a:90>101"});
}

TEST_F(InformerTest, several_events_in_one_chunk_come_in_order) {
  go_live();
  stream().bytes(event("ADDED", object("b", 101)) + "\n" + event("MODIFIED", object("b", 102)) + "\n" +
                 event("DELETED", object("b", 103)) + "\n" + event("ADDED", object("c", 104)).substr(0, 20));
  EXPECT_EQ(recorder.take(), (Seen{"+b", "~b:101>102", "-b"}));
  EXPECT_EQ(informer.store().resource_version(), "103");
}

TEST_F(InformerTest, an_event_of_a_mebibyte_arrives_whole) {
  go_live();
  const std::string line =
      event("ADDED", object("b", 101, R"(,"data":{"x":")" + std::string(1U << 20U, 'x') + "\"}")) + "\n";
  for (std::size_t at = 0; at < line.size(); at += 16384) stream().bytes(std::string_view(line).substr(at, 16384));
  EXPECT_EQ(recorder.take(), Seen{"+b"});
}

TEST_F(InformerTest, gone_inside_a_200_stream_lists_again_and_keeps_the_store_meanwhile) {
  go_live();
  stream().line(gone_event());
  EXPECT_FALSE(stream().open());
  EXPECT_NE(informer.store().get("n", "a"), nullptr);
  executor.advance(seconds(1));
  ASSERT_EQ(transport.streams().size(), 2U);
  EXPECT_TRUE(last_request_has("sendInitialEvents=true"));
  stream().status(200);
  stream().line(event("ADDED", object("b", 190)));
  EXPECT_NE(informer.store().get("n", "a"), nullptr);
  stream().line(bookmark(200, true));
  EXPECT_EQ(recorder.take(), (Seen{"-a?", "+b"}));
}

TEST_F(InformerTest, gone_as_http_status_lists_again) {
  go_live();
  stream().close(Error{ErrorClass::Unavailable, "GOAWAY", {}});
  executor.advance(seconds(1));
  EXPECT_TRUE(last_request_has("resourceVersion=100"));
  stream().status(410);
  stream().bytes(R"({"kind":"Status","reason":"Expired","message":"too old","code":410})");
  stream().close();
  executor.advance(seconds(3));
  EXPECT_TRUE(last_request_has("sendInitialEvents=true"));
}

TEST_F(InformerTest, a_version_too_large_lists_again) {
  go_live();
  stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  executor.advance(seconds(1));
  stream().status(504);
  stream().bytes(R"({"kind":"Status","message":"Too large resource version: 100, current: 5","reason":"Timeout",)"
                 R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}]},"code":504})");
  stream().close();
  executor.advance(seconds(3));
  EXPECT_TRUE(last_request_has("sendInitialEvents=true"));
}

TEST_F(InformerTest, a_reset_or_goaway_resumes_from_the_last_version_without_news) {
  go_live();
  stream().line(event("MODIFIED", object("a", 101)));
  stream().close(Error{ErrorClass::Unavailable, "HTTP/2 stream was not closed cleanly", {}});
  executor.advance(seconds(1));
  EXPECT_TRUE(last_request_has("resourceVersion=101"));
  EXPECT_FALSE(last_request_has("sendInitialEvents"));
  stream().status(200);
  stream().line(event("DELETED", object("a", 102)));
  EXPECT_EQ(recorder.take(), (Seen{"~a:90>101", "-a"}));
}

TEST_F(InformerTest, two_hundred_then_close_backs_off_instead_of_spinning) {
  go_live();
  stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  for (int i = 0; i < 600; ++i) {
    executor.advance(seconds(1));
    if (stream().open()) {
      stream().status(200);
      stream().close();
    }
  }
  EXPECT_LT(transport.streams().size(), 60U);
  EXPECT_GT(transport.streams().size(), 10U);
}

TEST_F(InformerTest, a_half_open_socket_is_noticed_after_75_s) {
  go_live();
  executor.advance(seconds(74));
  EXPECT_TRUE(stream().open());
  executor.advance(seconds(2));
  EXPECT_EQ(transport.streams().size(), 2U);
  EXPECT_TRUE(last_request_has("resourceVersion=100"));
}

TEST_F(InformerTest, bookmarks_alone_keep_a_stream_alive_and_move_the_version) {
  go_live();
  for (int i = 1; i <= 5; ++i) {
    executor.advance(seconds(60));
    stream().line(bookmark(100 + i));
  }
  EXPECT_EQ(transport.streams().size(), 1U);
  EXPECT_EQ(informer.store().resource_version(), "105");
}

TEST_F(InformerTest, a_missing_end_of_initial_events_falls_back_to_pages) {
  transport.on_request([](const Request& request) -> Result<Response> {
    const bool second = request.path_and_query.find("continue=next") != std::string::npos;
    return Response{.status = 200,
                    .body = R"({"kind":"ThingList","metadata":{"resourceVersion":"100")" +
                            std::string(second ? "" : R"(,"continue":"next")") + R"(},"items":[)" +
                            (second ? object("b", 51) : object("a", 50)) + "]}"};
  });
  start();
  stream().status(200);
  stream().line(event("ADDED", object("stray", 50)));
  executor.advance(seconds(61));
  EXPECT_TRUE(informer.synced());
  EXPECT_EQ(recorder.take(), (Seen{"+a", "+b"}));
  EXPECT_TRUE(last_request_has("resourceVersion=100"));
  EXPECT_TRUE(last_request_has("watch=true"));
}

TEST_F(InformerTest, an_unauthorized_watch_comes_back_later) {
  go_live();
  stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  executor.advance(seconds(1));
  stream().status(401);
  stream().close();
  executor.advance(seconds(3));
  EXPECT_TRUE(stream().open());
  EXPECT_TRUE(last_request_has("resourceVersion=100"));
}

TEST_F(InformerTest, an_object_that_does_not_decode_is_left_out_and_counted) {
  go_live();
  stream().line(event("ADDED", object("bad", 101, R"(,"broken":1)")));
  stream().line(event("ADDED", object("good", 102)));
  EXPECT_EQ(recorder.take(), Seen{"+good"});
  EXPECT_NE(metrics.expose().find("reprise_undecodable_objects_total{kind=\"Thing\"} 1"), std::string::npos);
}

TEST_F(InformerTest, an_object_that_stops_decoding_stays_as_it_last_was_until_it_is_deleted) {
  go_live();
  stream().line(event("MODIFIED", object("a", 101, R"(,"broken":1)")));
  EXPECT_EQ(informer.store().get("n", "a")->meta.resource_version, "90");
  stream().line(gone_event());
  executor.advance(seconds(1));
  stream().status(200);
  stream().line(event("ADDED", object("a", 101, R"(,"broken":1)")));
  stream().line(bookmark(200, true));
  EXPECT_EQ(recorder.take(), Seen{});
  stream().line(event("DELETED", object("a", 201, R"(,"broken":1)")));
  EXPECT_EQ(recorder.take(), Seen{"-a"});
  EXPECT_EQ(informer.store().get("n", "a"), nullptr);
}

TEST_F(InformerTest, what_is_no_event_ends_the_stream_and_not_the_process) {
  go_live();
  stream().line("<html>proxy error</html>");
  EXPECT_FALSE(stream().open());
  executor.advance(seconds(1));
  EXPECT_TRUE(last_request_has("resourceVersion=100"));
}

TEST_F(InformerTest, a_name_taken_by_another_object_is_a_deletion_and_an_addition) {
  go_live();
  stream().line(gone_event());
  executor.advance(seconds(1));
  stream().status(200);
  std::string other = object("a", 190);
  other.replace(other.find("u-a"), 3, "u-z");
  stream().line(event("ADDED", other));
  stream().line(bookmark(200, true));
  EXPECT_EQ(recorder.take(), (Seen{"-a?", "+a"}));
}

TEST_F(InformerTest, an_index_follows_its_objects) {
  informer.store().add_index(
      "color", [](const Thing& thing) { return std::vector<std::string>{std::string(thing.meta.label("color"))}; });
  go_live();
  stream().line(event("MODIFIED", object("a", 101, R"(,"color":"red")")));
  EXPECT_EQ(informer.store().by_index("color", "red").size(), 1U);
  EXPECT_EQ(informer.store().by_index("color", "").size(), 0U);
  stream().line(event("DELETED", object("a", 102, R"(,"color":"red")")));
  EXPECT_EQ(informer.store().by_index("color", "red").size(), 0U);
  EXPECT_EQ(informer.store().by_uid("u-a"), nullptr);
}

TEST(LineFramerTest, a_line_beyond_the_limit_is_refused) {
  LineFramer framer(10);
  const auto ignore = [](std::string_view) { return true; };
  EXPECT_TRUE(framer.feed("12345", ignore));
  EXPECT_FALSE(framer.feed("1234567", ignore));
}

}  // namespace
}  // namespace reprise::runtime
