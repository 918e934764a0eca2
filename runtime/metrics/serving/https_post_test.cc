// Posts to a server over TLS, with a client that speaks it.
#include <gtest/gtest.h>

#include <boost/system/system_error.hpp>
#include <memory>
#include <string>
#include <thread>

#include "runtime/metrics/serving/http_server.h"
#include "runtime/metrics/tls_client_for_tests.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using testing::TlsClient;

struct HttpsPostTest : ::testing::Test {
  void serve(std::function<void(HttpPost, HttpRoute::Answer)> post, Duration review_limit = std::chrono::seconds(20)) {
    HttpRoute route;
    route.post = std::move(post);
    auto made = serve_https("127.0.0.1:0", {{"/v1/reports", route}},
                            {.clock = clock,
                             .read = [this] { return certificate; },
                             .review_limit = review_limit,
                             .body_limit = 64,
                             .connections_limit = 2});
    ASSERT_TRUE(made) << made.error().message;
    server = *std::move(made);
  }
  [[nodiscard]] TlsClient client() const { return {server->port(), certificate.certificate_pem}; }

  testing::VirtualClock clock;
  ServingCertificate certificate = *make_self_signed_certificate("reprise-operator", 30);
  std::unique_ptr<HttpServer> server;
};

TEST_F(HttpsPostTest, the_route_gets_body_and_authorization) {
  serve([](const HttpPost& post, const HttpRoute::Answer& answer) {
    answer({.status = 200, .body = post.authorization + " said " + post.body});
  });
  EXPECT_EQ(client().post("abc", "/v1/reports", "hello").body(), "Bearer abc said hello");
}

TEST_F(HttpsPostTest, an_answer_may_come_later_from_another_thread) {
  std::thread other;
  serve([&](const HttpPost&, HttpRoute::Answer answer) {
    other = std::thread([answer = std::move(answer)] { answer({.status = 429, .retry_after_seconds = 7}); });
  });
  const auto answer = client().post("abc", "/v1/reports", "hello");
  other.join();
  EXPECT_EQ(answer.result_int(), 429U);
  EXPECT_EQ(answer["Retry-After"], "7");
}

TEST_F(HttpsPostTest, one_that_never_answers_is_answered_for) {
  serve([](const HttpPost&, const HttpRoute::Answer&) {}, std::chrono::milliseconds(20));
  EXPECT_EQ(client().post("abc", "/v1/reports", "hello").result_int(), 503U);
}

TEST_F(HttpsPostTest, nothing_else_is_served_there) {
  serve([](const HttpPost&, const HttpRoute::Answer& answer) { answer({}); });
  EXPECT_EQ(client().ask("abc", boost::beast::http::verb::get, "/v1/reports").result_int(), 405U);
  EXPECT_EQ(client().post("abc", "/elsewhere", "").result_int(), 404U);
}

TEST_F(HttpsPostTest, a_body_that_is_too_long_ends_the_connection) {
  serve([](const HttpPost&, const HttpRoute::Answer& answer) { answer({}); });
  EXPECT_THROW((void)client().post("abc", "/v1/reports", std::string(65, 'x')), boost::system::system_error);
  EXPECT_EQ(client().post("abc", "/v1/reports", std::string(64, 'x')).result_int(), 200U);
}

TEST_F(HttpsPostTest, more_connections_than_it_has_room_for_are_closed) {
  serve([](const HttpPost&, const HttpRoute::Answer& answer) { answer({}); });
  TlsClient one = client(), two = client();
  EXPECT_THROW((void)client(), boost::system::system_error);
  EXPECT_EQ(one.post("abc", "/v1/reports", "still served").result_int(), 200U);
}

}  // namespace
}  // namespace reprise::runtime
