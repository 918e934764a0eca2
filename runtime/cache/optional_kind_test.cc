// A kind that the cluster may lack: absent at the start, gone in between, back again, and what only looks like it.
#include <gtest/gtest.h>

#include "runtime/cache/informer_for_tests.h"
#include "runtime/cache/served.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::Recorder;
using testing::ScriptedTransport;
using testing::Seen;
using testing::Thing;
using testing::thing_json;
using testing::VirtualClock;

constexpr std::string_view not_found = "404 page not found\n";

Response document(std::string body) {
  return {.status = 200, .body = std::move(body), .retry_after = {}, .content_type = "application/json"};
}
Response plain_404() {
  return {
      .status = 404, .body = std::string(not_found), .retry_after = {}, .content_type = "text/plain; charset=utf-8"};
}
Response resources(const std::string& plurals) {
  return document(R"({"kind":"APIResourceList","groupVersion":"test.dev/v1","resources":[)" + plurals + "]}");
}
Response groups(const std::string& group, const std::string& version) {
  return document(R"({"kind":"APIGroupList","groups":[{"name":")" + group + R"(","versions":[{"version":")" + version +
                  R"("}]}]})");
}

// A server that answers discovery as a test says.
struct OptionalKind : ::testing::Test {
  OptionalKind() {
    informer.add_listener(recorder);
    informer.on_served_change([this] { served_changes.push_back(informer.served()); });
    transport.on_request([this](const Request& request) -> Result<Response> {
      asked.push_back(request.path_and_query);
      return request.path_and_query == groups_path ? group_list : resource_list;
    });
  }
  ScriptedTransport::ServedStream& stream() { return transport.last_stream(); }
  void reject(std::string_view body = not_found) {
    stream().status(404);
    stream().bytes(body);
    stream().close();
    executor.settle();
  }
  // Waits until it looks again.
  void wait_for_look() {
    const std::size_t looks = transport.streams().size();
    for (int i = 0; i < 60 && transport.streams().size() == looks; ++i) executor.advance(seconds(1));
    ASSERT_GT(transport.streams().size(), looks);
  }
  void start_without() {
    resource_list = plain_404();
    group_list = groups("other.dev", "v1");
    informer.start();
    executor.settle();
    reject();
  }
  void answer_list(int version, const std::string& name = "a") {
    stream().status(200);
    stream().line(R"({"type":"ADDED","object":)" + thing_json(name, version - 1) + "}");
    stream().line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(version) +
                  R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})");
    executor.settle();
  }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  SeededRandom random{1};
  std::unique_ptr<Logger> logger = make_null_logger();
  MetricsRegistry metrics;
  Result<Response> resource_list = fail(ErrorClass::Unavailable, "down"), group_list = resource_list;
  std::vector<std::string> asked;
  std::vector<bool> served_changes;
  Recorder<Thing> recorder;
  Informer<Thing> informer{WatchEnvironment{transport, executor, clock, random, *logger, metrics},
                           InformerScope{.optional = true}};
};

TEST_F(OptionalKind, absent_at_the_start_is_synced_and_empty_once_discovery_says_so) {
  start_without();
  EXPECT_EQ(asked, (std::vector<std::string>{"/apis/test.dev/v1", "/apis"}));
  EXPECT_TRUE(informer.synced());
  EXPECT_FALSE(informer.served());
  EXPECT_TRUE(informer.store().absent());
  EXPECT_EQ(served_changes, std::vector<bool>{false});
}

TEST_F(OptionalKind, absent_among_the_resources_of_its_group_is_absent) {
  resource_list = resources(R"({"name":"others"},{"name":"things/status"})");
  informer.start();
  executor.settle();
  reject();
  EXPECT_EQ(asked, std::vector<std::string>{"/apis/test.dev/v1"});
  EXPECT_TRUE(informer.synced());
  EXPECT_FALSE(informer.served());
}

TEST_F(OptionalKind, a_404_that_discovery_does_not_confirm_is_trouble_that_passes) {
  const Result<Response> page = Response{.status = 404, .body = "<html>not here</html>"};
  const Result<Response> down = fail(ErrorClass::Unavailable, "connection refused");
  const Result<Response> html = document("<html>welcome</html>");
  const struct {
    Result<Response> resources, groups;
  } cases[] = {{plain_404(), plain_404()},
               {page, page},
               {down, down},
               {plain_404(), down},
               {plain_404(), html},
               {html, html},
               {plain_404(), groups("test.dev", "v1")},
               {resources(R"({"name":"things"})"), plain_404()},
               {Response{.status = 503, .body = "starting"}, Response{.status = 403, .body = "no"}}};
  informer.start();
  executor.settle();
  for (const auto& each : cases) {
    resource_list = each.resources;
    group_list = each.groups;
    reject();
    EXPECT_FALSE(informer.synced());
    EXPECT_TRUE(informer.served());
    wait_for_look();
  }
  answer_list(100);
  EXPECT_TRUE(informer.synced());
}

TEST_F(OptionalKind, an_outage_is_not_absence) {
  informer.start();
  executor.settle();
  for (const int status : {500, 503, 429, 403}) {
    stream().status(status);
    stream().bytes(not_found);
    stream().close();
    wait_for_look();
  }
  stream().close(Error{ErrorClass::Unavailable, "connection refused", {}});
  wait_for_look();
  EXPECT_TRUE(asked.empty());
  EXPECT_FALSE(informer.synced());
}

TEST_F(OptionalKind, comes_later_without_a_restart) {
  start_without();
  wait_for_look();
  reject();
  EXPECT_FALSE(informer.served());
  wait_for_look();
  answer_list(100);
  EXPECT_EQ(recorder.take(), Seen{"+a"});
  EXPECT_TRUE(informer.served());
  EXPECT_EQ(served_changes, (std::vector<bool>{false, true}));
}

TEST_F(OptionalKind, that_comes_without_objects_is_reported_all_the_same) {
  start_without();
  wait_for_look();
  stream().status(200);
  stream().line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7",)"
                R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
  executor.settle();
  EXPECT_EQ(served_changes, (std::vector<bool>{false, true}));
}

TEST_F(OptionalKind, that_goes_takes_its_objects_along_and_comes_again) {
  informer.start();
  executor.settle();
  answer_list(100);
  ASSERT_EQ(recorder.take(), Seen{"+a"});
  stream().close();  // the server ends the watches of a kind that goes
  wait_for_look();
  resource_list = resources("");
  reject();  // the watch from the version known
  EXPECT_NE(informer.store().get("n", "a"), nullptr) << "one 404 says nothing";
  wait_for_look();
  EXPECT_NE(stream().request().path_and_query.find("sendInitialEvents=true"), std::string::npos);
  reject();
  EXPECT_EQ(recorder.take(), Seen{"-a?"});
  EXPECT_TRUE(informer.store().absent());
  wait_for_look();
  answer_list(200, "b");
  EXPECT_EQ(recorder.take(), Seen{"+b"});
  EXPECT_FALSE(informer.store().absent());
}

TEST_F(OptionalKind, absence_answers_a_look_that_a_new_leader_asks_for) {
  start_without();
  const std::uint64_t begun = informer.view().lists_begun("");
  informer.look_again("", true);
  executor.settle();
  reject();
  EXPECT_GT(informer.view().list_in_use(""), begun);
}

TEST_F(OptionalKind, absence_is_found_by_pages_too) {
  WatchPolicy policy;
  policy.streaming_list = false;
  resource_list = plain_404();
  group_list = groups("test.dev", "v2");
  transport.on_request([&](const Request& request) -> Result<Response> {
    if (request.path_and_query.starts_with("/apis/test.dev/v1/things")) return plain_404();
    return request.path_and_query == groups_path ? group_list : resource_list;
  });
  Informer<Thing> paged{WatchEnvironment{transport, executor, clock, random, *logger, metrics, policy},
                        InformerScope{.optional = true}};
  paged.start();
  executor.settle();
  EXPECT_TRUE(paged.synced());
  EXPECT_FALSE(paged.served());
}

TEST_F(OptionalKind, a_kind_that_is_required_waits_for_its_definition) {
  resource_list = resources("");
  Informer<Thing> required{WatchEnvironment{transport, executor, clock, random, *logger, metrics}, InformerScope{}};
  required.start();
  executor.settle();
  reject();
  EXPECT_TRUE(asked.empty());
  EXPECT_FALSE(required.synced());
}

}  // namespace
}  // namespace reprise::runtime
