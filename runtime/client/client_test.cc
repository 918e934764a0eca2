#include "runtime/client/client.h"

#include <gtest/gtest.h>

#include "runtime/client/status.h"
#include "runtime/testing/manual_executor.h"
#include "runtime/testing/permits.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::TestPermits;
using testing::VirtualClock;

constexpr kube::KindInfo pods{"", "v1", "Pod", "pods", true};

struct ClientTest : ::testing::Test {
  void answer(int status, std::string body = "{}") {
    transport.on_request(
        [status, body](const Request&) -> Result<Response> { return Response{.status = status, .body = body}; });
  }
  [[nodiscard]] const Request& last() const { return transport.requests().back(); }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  std::unique_ptr<Client> client = make_client(transport, clock);
};

TEST_F(ClientTest, a_merge_patch_of_a_subresource_goes_where_it_should) {
  answer(200, R"({"x":1})");
  const auto patched =
      client->patch(TestPermits::always(), pods, "n", "p", PatchType::Merge, R"({"status":{}})", "status");
  EXPECT_EQ(patched.value(), R"({"x":1})");
  EXPECT_EQ(last().method, Method::Patch);
  EXPECT_EQ(last().path_and_query, "/api/v1/namespaces/n/pods/p/status");
  EXPECT_EQ(last().headers.back().second, "application/merge-patch+json");
}

TEST_F(ClientTest, a_deletion_carries_its_preconditions) {
  answer(200);
  DeleteOptions options;
  options.grace_period_seconds = 0;
  options.uid = "u";
  options.resource_version = "7";
  options.propagation_policy = "Foreground";
  ASSERT_TRUE(client->remove(TestPermits::always(), pods, "n", "p", options));
  EXPECT_EQ(last().body, R"({"apiVersion":"v1","gracePeriodSeconds":0,"kind":"DeleteOptions",)"
                         R"("preconditions":{"resourceVersion":"7","uid":"u"},"propagationPolicy":"Foreground"})");
}

TEST_F(ClientTest, selectors_are_escaped) {
  answer(200);
  ListOptions options;
  options.label_selector = "a in (b,c)";
  options.limit = 5;
  ASSERT_TRUE(client->list(pods, "", options));
  EXPECT_EQ(last().path_and_query, "/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29&limit=5");
}

TEST_F(ClientTest, an_answer_that_kubernetes_did_not_give_whole_says_nothing_about_the_write) {
  const struct {
    const char* invariant;
    Response response;
    bool whole;
  } cases[] = {
      {"an object", {.status = 200, .body = R"({"a":["}\"",{}]})", .content_type = "application/json"}, true},
      {"a text that ends in a backslash", {.status = 200, .body = R"({"a\\\"":"\\"})"}, true},
      {"an object of unknown type", {.status = 200, .body = " {} \n"}, true},
      {"protobuf", {.status = 200, .body = std::string("k8s\0x", 5)}, true},
      {"a gateway's page", {.status = 200, .body = "<html></html>", .content_type = "text/html"}, false},
      {"a gateway's page that looks like JSON", {.status = 200, .body = "{}", .content_type = "text/html"}, false},
      {"nothing", {.status = 200, .body = ""}, false},
      {"half an object", {.status = 200, .body = R"({"metadata":{"name":"a"})"}, false},
      {"an object that breaks off in a text", {.status = 200, .body = R"({"metadata":"}})"}, false},
      {"an object that breaks off after a backslash", {.status = 200, .body = R"({"metadata":"\)"}, false},
      {"an object that breaks off after an escaped quote", {.status = 200, .body = R"({"a":"\\\"})"}, false},
      {"two objects", {.status = 200, .body = "{}{}"}, false},
      {"a closing too many", {.status = 200, .body = "}"}, false},
  };
  for (const auto& test : cases) {
    transport.on_request([&test](const Request&) -> Result<Response> { return test.response; });
    const auto removed = client->remove(TestPermits::always(), pods, "n", "p", {});
    EXPECT_EQ(removed.has_value(), test.whole) << test.invariant;
    if (!removed) {
      EXPECT_EQ(removed.error().error_class, ErrorClass::Unavailable) << test.invariant;
    }
  }
}

TEST_F(ClientTest, a_name_cannot_leave_its_place_in_the_path) {
  for (const char* name : {"..", "a/b", "a?x", "A", "a%2f"}) {
    const auto got = client->get(pods, "n", name);
    ASSERT_FALSE(got) << name;
    EXPECT_EQ(got.error().error_class, ErrorClass::Invalid) << name;
  }
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(ClientTest, an_ended_permit_sends_nothing) {
  answer(201);
  const auto made = client->create(TestPermits::until(clock.steady()), pods, "n", "{}");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().error_class, ErrorClass::NoPermit);
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(ClientTest, a_permit_that_ends_while_the_request_waits_sends_nothing) {
  answer(201);
  Call call{.method = Method::Post, .kind = pods, .namespace_ = "n", .body = "{}"};
  call.permit = TestPermits::until(clock.steady() + seconds(5));
  std::optional<Result<std::string>> made;
  client->call_async(call, [&](Result<std::string> result) { made = std::move(result); });
  clock.advance(seconds(6));
  executor.settle();
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->error().error_class, ErrorClass::NoPermit);
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(ClientTest, no_verb_writes_with_a_permit_that_was_good_once_or_with_none) {
  answer(200);
  const WritePermit permit = TestPermits::until(clock.steady() + seconds(5));
  clock.advance(seconds(5));
  const auto class_of = [](const Result<std::string>& result) { return result.error().error_class; };
  EXPECT_EQ(class_of(client->create(permit, pods, "n", "{}")), ErrorClass::NoPermit);
  EXPECT_EQ(class_of(client->patch(permit, pods, "n", "p", PatchType::Merge, "{}")), ErrorClass::NoPermit);
  EXPECT_EQ(class_of(client->patch(permit, pods, "n", "p", PatchType::Json, "[]", "status")), ErrorClass::NoPermit);
  EXPECT_EQ(class_of(client->remove(permit, pods, "n", "p", {})), ErrorClass::NoPermit);
  for (const Method method : {Method::Post, Method::Put, Method::Patch, Method::Delete}) {
    for (const std::optional<WritePermit>& given : {std::optional(permit), std::optional<WritePermit>()}) {
      std::optional<Result<std::string>> made;
      client->call_async({.method = method, .kind = pods, .namespace_ = "n", .name = "p", .permit = given},
                         [&](Result<std::string> result) { made = std::move(result); });
      executor.settle();
      EXPECT_EQ(class_of(made.value()), ErrorClass::NoPermit);
    }
  }
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(ClientTest, a_write_does_not_outlive_its_permit) {
  answer(201);
  ASSERT_TRUE(client->create(TestPermits::until(clock.steady() + seconds(3)), pods, "n", "{}"));
  EXPECT_EQ(last().timeout, seconds(3));
}

TEST_F(ClientTest, what_is_lost_is_told_and_not_asked_for_again) {
  transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "reset"); });
  EXPECT_EQ(client->get(pods, "n", "p").error().error_class, ErrorClass::Unavailable);
  EXPECT_EQ(client->create(TestPermits::always(), pods, "n", "{}").error().error_class, ErrorClass::Unavailable);
  EXPECT_EQ(transport.requests().size(), 2U);
}

struct StatusCase {
  const char* invariant;
  int code;
  const char* body;
  ErrorClass want;
};

TEST(Status, every_rejection_has_its_class) {
  const StatusCase cases[] = {
      {"name taken", 409, R"({"kind":"Status","reason":"AlreadyExists","code":409})", ErrorClass::AlreadyExists},
      {"version moved on", 409, R"({"kind":"Status","reason":"Conflict","code":409})", ErrorClass::Conflict},
      {"plain 409", 409, "", ErrorClass::Conflict},
      {"no such object", 404, R"({"kind":"Status","reason":"NotFound","code":404})", ErrorClass::NotFound},
      {"bad content", 422, R"({"kind":"Status","reason":"Invalid","code":422})", ErrorClass::Invalid},
      {"patch test failed", 422,
       R"({"kind":"Status","message":"the server rejected our request due to an error in our request",)"
       R"("reason":"Invalid","details":{},"code":422})",
       ErrorClass::Conflict},
      {"no right", 403, "{}", ErrorClass::Forbidden},
      {"credentials", 401, "Unauthorized", ErrorClass::Unauthorized},
      {"too old", 410, R"({"kind":"Status","reason":"Expired","code":410})", ErrorClass::Expired},
      {"too new", 504,
       R"({"kind":"Status","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]},"code":504})",
       ErrorClass::Expired},
      {"overload", 429, "", ErrorClass::Throttled},
      {"server trouble", 500, "", ErrorClass::Unavailable},
      {"proxy trouble", 502, "<html>", ErrorClass::Unavailable},
      {"a gateway that wants us elsewhere", 302, "", ErrorClass::Unavailable},
      {"a kind that is not served yet", 404, "404 page not found\n", ErrorClass::Unavailable},
      {"a gateway's own 404", 404, "<html>", ErrorClass::Unavailable},
      {"a gateway's own 400", 400, "<html>", ErrorClass::Unavailable},
      {"not of this world", 418, "", ErrorClass::Terminal},
  };
  for (const StatusCase& test : cases) {
    EXPECT_EQ(name(decode_status(test.code, test.body).error_class), name(test.want)) << test.invariant;
  }
}

TEST(Status, the_code_inside_counts_when_there_is_none_outside) {
  EXPECT_EQ(decode_status(0, R"({"kind":"Status","code":410,"reason":"Gone"})").error_class, ErrorClass::Expired);
}

TEST(Status, no_body_asks_for_a_wait_of_more_than_a_minute) {
  for (const std::int64_t retry_after :
       {61LL, 3'600LL, 9'200'000'001LL, 9'200'000'000'000'001LL, 9'223'372'036'854'775'807LL}) {
    const std::string body =
        R"({"kind":"Status","code":503,"details":{"retryAfterSeconds":)" + std::to_string(retry_after) + "}}";
    EXPECT_EQ(decode_status(503, body).retry_after, seconds(60)) << retry_after;
  }
}

TEST(Status, retry_after_comes_from_the_header_or_the_body) {
  EXPECT_EQ(error_of(Response{.status = 429, .retry_after = seconds(3)}).retry_after, seconds(3));
  EXPECT_EQ(decode_status(429, R"({"kind":"Status","code":429,"details":{"retryAfterSeconds":9}})").retry_after,
            seconds(9));
}

TEST(Status, hostile_nesting_is_survived) {
  EXPECT_EQ(decode_status(500, std::string(100'000, '[')).error_class, ErrorClass::Unavailable);
}

}  // namespace
}  // namespace reprise::runtime
