// A manager that requires a kind which the cluster does not serve yet.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cache/served.h"
#include "runtime/manager/observability_for_tests.h"

namespace reprise::runtime {
namespace {

using testing::Lines;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::Thing;
using testing::VirtualClock;

Response document(std::string body) {
  return {.status = 200, .body = std::move(body), .retry_after = {}, .content_type = "application/json"};
}
Response resources(const std::string& plural) {
  return document(R"({"kind":"APIResourceList","groupVersion":"test.dev/v1","resources":[{"name":")" + plural +
                  R"("}]})");
}
Response groups(const std::string& group) {
  return document(R"({"kind":"APIGroupList","groups":[{"name":")" + group + R"(","versions":[{"version":"v1"}]}]})");
}

struct StartTest : ::testing::Test {
  StartTest() {
    transport.on_request([this](const Request& request) -> Result<Response> {
      if (request.path_and_query == "/apis/test.dev/v1") return resource_list;
      if (request.path_and_query == groups_path) return group_list;
      return Response{.status = 404};
    });
    manager.require<Thing>("install it");
  }
  // True when no request but those of discovery was made before the watches begin.
  [[nodiscard]] bool asks_discovery_alone() const {
    return std::all_of(transport.requests().begin(), transport.requests().end(), [](const Request& request) {
      return request.path_and_query == groups_path || request.path_and_query == "/apis/test.dev/v1";
    });
  }
  [[nodiscard]] std::size_t told(std::string_view sentence) const {
    std::size_t count = 0;
    for (std::size_t at = lines.text.find(sentence); at != std::string::npos; at = lines.text.find(sentence, at + 1))
      ++count;
    return count;
  }
  void start() {
    ASSERT_TRUE(manager.start());
    executor.settle();
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  Lines lines;
  std::vector<std::string> aborts;
  Result<Response> resource_list = Response{.status = 404, .body = "404 page not found\n"};
  Result<Response> group_list = groups("other.dev");
  Manager manager{testing::options(aborts), {transport, executor, clock, random, lines}};
  Informer<Thing>& things = manager.add_informer<Thing>();
};

constexpr std::string_view waiting = "Waiting for the cluster to serve required kinds";

TEST_F(StartTest, a_kind_that_is_served_is_asked_for_once_and_nothing_is_said) {
  resource_list = resources("things");
  start();
  EXPECT_EQ(transport.streams().size(), 1U);
  EXPECT_EQ(told(waiting), 0U);
  EXPECT_TRUE(manager.readiness().run().text.find("[+]kinds ok") != std::string::npos);
}

TEST_F(StartTest, before_it_is_served_a_process_is_alive_not_ready_and_asks_for_nothing_else) {
  start();
  executor.advance(testing::seconds(20));
  EXPECT_TRUE(asks_discovery_alone());
  EXPECT_TRUE(manager.liveness().run().ok) << manager.liveness().run().text;
  EXPECT_NE(manager.readiness().run().text.find("the cluster does not serve things.test.dev/v1 yet"),
            std::string::npos);
  EXPECT_FALSE(manager.lost());
}

TEST_F(StartTest, the_wait_is_told_once_with_its_object_its_limit_and_the_remedy) {
  start();
  executor.advance(testing::seconds(10));
  EXPECT_EQ(told(waiting), 1U);
  for (const std::string part : {"things.test.dev/v1", "30 s", "install it if they are missing"})
    EXPECT_EQ(told(part), 1U) << part << " in " << lines.text;
}

TEST_F(StartTest, a_definition_that_comes_in_time_is_followed_within_a_second) {
  start();
  executor.advance(testing::seconds(4));
  group_list = groups("test.dev");  // the definition is created, and not yet established
  executor.advance(testing::seconds(4));
  EXPECT_TRUE(asks_discovery_alone());
  resource_list = resources("things");
  executor.advance(testing::seconds(1));
  EXPECT_EQ(transport.streams().size(), 1U);
  EXPECT_EQ(told("Required kinds are served"), 1U);
  EXPECT_NE(manager.readiness().run().text.find("[+]kinds ok"), std::string::npos);
  EXPECT_FALSE(manager.lost());
}

TEST_F(StartTest, after_half_a_minute_without_it_the_process_says_what_it_lacks_and_ends) {
  start();
  executor.advance(testing::seconds(29));
  EXPECT_FALSE(manager.lost());
  executor.advance(testing::seconds(1));
  EXPECT_TRUE(manager.lost());
  EXPECT_EQ(told("the cluster does not know things.test.dev; install it"), 1U);
  EXPECT_TRUE(asks_discovery_alone());
  const std::size_t asked = transport.requests().size();
  executor.advance(testing::seconds(60));
  EXPECT_EQ(transport.requests().size(), asked);
}

TEST_F(StartTest, discovery_that_is_refused_ends_the_process_at_once) {
  resource_list = fail(ErrorClass::Unavailable, "connection refused");
  start();
  EXPECT_TRUE(manager.lost());
  EXPECT_EQ(told("Failed to start"), 1U);
  EXPECT_EQ(told("connection refused"), 1U);
  EXPECT_EQ(told(waiting), 0U);
}

TEST_F(StartTest, a_stop_during_the_wait_ends_it) {
  start();
  executor.advance(testing::seconds(3));
  manager.stop();
  const std::size_t asked = transport.requests().size();
  resource_list = resources("things");
  executor.advance(testing::seconds(60));
  EXPECT_EQ(transport.requests().size(), asked);
  EXPECT_FALSE(manager.lost());
  EXPECT_EQ(told("Failed to start"), 0U);
}

}  // namespace
}  // namespace reprise::runtime
