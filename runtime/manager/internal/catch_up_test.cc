#include "runtime/manager/internal/catch_up.h"

#include <gtest/gtest.h>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/thing.h"

namespace reprise::runtime::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::Thing;
using testing::thing_json;
using testing::VirtualClock;

struct CatchUpTest : ::testing::Test {
  CatchUpTest() {
    transport.on_request([this](const Request& request) -> Result<Response> {
      probes.push_back(request.path_and_query);
      return probe;
    });
  }
  // A cache that is live at version 100.
  void follow() {
    auto informer = std::make_unique<Informer<Thing>>(
        WatchEnvironment{transport, executor, clock, random, *logger, metrics}, InformerScope{});
    informer->on_progress([this] { executor.post([this] { catch_up->advanced(); }); });
    informers.push_back(std::move(informer));
    informers.back()->start();
    answer_list(100);
  }
  void answer_list(int version) {
    stream().status(200);
    stream().line(R"({"type":"ADDED","object":)" + thing_json("a", 90) + "}");
    bookmark(version, R"(,"annotations":{"k8s.io/initial-events-end":"true"})");
  }
  void bookmark(int version, const std::string& more = "") {
    stream().line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(version) + "\"" +
                  more + "}}}");
    executor.settle();
  }
  void start(std::size_t few = 0) {
    catch_up = std::make_shared<CatchUp>(informers, *client, executor, clock, *logger, CatchUpPolicy{.few = few});
    catch_up->start([this](const Result<void>& result) { ended.push_back(result.has_value()); });
    executor.settle();
  }
  ScriptedTransport::ServedStream& stream() { return transport.last_stream(); }
  // The watch at hand asks for the whole state.
  bool listing() { return stream().request().path_and_query.find("sendInitialEvents=true") != std::string::npos; }
  bool asked_for(const std::string& part) { return stream().request().path_and_query.find(part) != std::string::npos; }
  static Response version(int value) {
    return {.status = 200, .body = R"({"metadata":{"resourceVersion":")" + std::to_string(value) + R"("},"items":[]})"};
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  MetricsRegistry metrics;
  std::unique_ptr<Client> client = make_client(transport, clock);
  std::vector<std::unique_ptr<InformerBase>> informers;
  std::shared_ptr<CatchUp> catch_up =
      std::make_shared<CatchUp>(informers, *client, executor, clock, *logger);  // replaced by start()
  Result<Response> probe = version(130);
  std::vector<std::string> probes;
  std::vector<bool> ended;
};

using Ended = std::vector<bool>;

TEST_F(CatchUpTest, a_small_cache_is_listed_again_at_once_and_that_is_enough) {
  follow();
  start(500);
  EXPECT_TRUE(listing());
  EXPECT_EQ(ended, Ended{});
  answer_list(101);
  EXPECT_EQ(ended, Ended{true});
  EXPECT_TRUE(probes.empty());
  EXPECT_EQ(catch_up->behind(), 0U);
}

TEST_F(CatchUpTest, a_large_cache_asks_for_the_version_alone) {
  follow();
  start();
  EXPECT_EQ(probes, std::vector<std::string>{"/apis/test.dev/v1/things?limit=1"});
  EXPECT_FALSE(listing() && transport.streams().size() > 1);
}

TEST_F(CatchUpTest, changes_that_were_under_way_bring_a_large_cache_there_without_another_request) {
  follow();
  start();
  stream().line(R"({"type":"ADDED","object":)" + thing_json("b", 129) + "}");
  executor.settle();
  EXPECT_EQ(ended, Ended{});
  stream().line(R"({"type":"ADDED","object":)" + thing_json("c", 130) + "}");
  executor.settle();
  EXPECT_EQ(ended, Ended{true});
  EXPECT_EQ(transport.streams().size(), 1U);
}

TEST_F(CatchUpTest, a_cache_that_is_there_already_waits_for_nothing) {
  follow();
  probe = version(100);
  start();
  EXPECT_EQ(ended, Ended{true});
}

TEST_F(CatchUpTest, a_silent_watch_is_opened_anew_for_a_bookmark_that_comes_soon) {
  follow();
  start();
  executor.advance(milliseconds(200));
  ASSERT_EQ(transport.streams().size(), 2U);
  EXPECT_FALSE(listing());
  EXPECT_TRUE(asked_for("timeoutSeconds=3&"));
  EXPECT_TRUE(asked_for("resourceVersion=100"));
  stream().status(200);
  bookmark(129);
  EXPECT_EQ(ended, Ended{});
  bookmark(130);
  EXPECT_EQ(ended, Ended{true});
}

TEST_F(CatchUpTest, where_no_bookmarks_come_a_kind_that_never_changes_is_listed) {
  follow();
  start();
  for (const auto wait : {milliseconds(200), milliseconds(4000)}) {
    executor.advance(wait);
    EXPECT_FALSE(listing());
    stream().status(200);
  }
  EXPECT_EQ(transport.streams().size(), 3U);
  executor.advance(seconds(4));
  ASSERT_TRUE(listing());
  answer_list(101);  // a list counts by when it was asked for: a server restored from a backup counts lower
  EXPECT_EQ(ended, Ended{true});
}

TEST_F(CatchUpTest, a_list_that_was_asked_for_before_is_no_proof) {
  follow();
  stream().line(R"({"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}})");
  executor.advance(seconds(1));
  ASSERT_TRUE(listing());
  start(500);
  const auto streams = transport.streams().size();
  answer_list(140);
  EXPECT_EQ(ended, Ended{});
  executor.advance(seconds(4));
  ASSERT_EQ(transport.streams().size(), streams + 1);
  ASSERT_TRUE(listing());
  answer_list(140);
  EXPECT_EQ(ended, Ended{true});
}

TEST_F(CatchUpTest, an_unanswered_question_is_asked_again_and_a_forbidden_one_replaced_by_a_list) {
  follow();
  probe = fail(ErrorClass::Unavailable, "reset");
  start();
  executor.advance(seconds(4));
  EXPECT_EQ(probes.size(), 2U);
  EXPECT_EQ(transport.streams().size(), 1U);
  probe = Response{.status = 403};
  executor.advance(seconds(4));
  EXPECT_TRUE(listing());
  EXPECT_EQ(transport.streams().size(), 2U);
}

TEST_F(CatchUpTest, ends_with_an_error_after_its_limit_and_tells_until_then_what_is_missing) {
  follow();
  start(500);
  EXPECT_EQ(catch_up->describe(), std::vector<std::string>{"kind=Thing namespace= at=100 until=listed looks=1"});
  executor.advance(milliseconds(59'999));
  EXPECT_EQ(ended, Ended{});
  EXPECT_TRUE(catch_up->check());
  executor.advance(milliseconds(2));
  EXPECT_EQ(ended, Ended{false});
  EXPECT_FALSE(catch_up->check());
  executor.advance(seconds(60));
  EXPECT_EQ(ended, Ended{false});
}

TEST_F(CatchUpTest, says_nothing_after_it_was_stopped) {
  follow();
  start(500);
  catch_up->stop();
  answer_list(140);
  executor.advance(seconds(120));
  EXPECT_EQ(ended, Ended{});
}

}  // namespace
}  // namespace reprise::runtime::internal
