// The server of metrics over TLS, with a client that speaks it.
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/http/testing/test_pki.h"
#include "runtime/metrics/reviewer_for_tests.h"
#include "runtime/metrics/serving/http_server.h"
#include "runtime/metrics/tls_client_for_tests.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using std::chrono::seconds;
using testing::TestAuthority;
using testing::TlsClient;

struct HttpsServerTest : ::testing::Test {
  HttpsServerTest() {
    use(authority);
    reviewer.know("good", ReviewAnswer::Allowed);
    reviewer.know("bad", ReviewAnswer::Denied);
    reviewer.know("old", ReviewAnswer::NoUser);
    reviewer.know("unlucky", fail(ErrorClass::Unavailable, "no answer"));
  }
  void use(const TestAuthority& by) {
    const auto issued = by.issue("metrics");
    const std::lock_guard lock(mutex);
    files = ServingCertificate{issued.certificate_pem, issued.key_pem};
  }
  void serve(Duration review_limit = seconds(20), Duration handshake_limit = seconds(20)) {
    auto made =
        serve_https("127.0.0.1:0", {{"/metrics", [](const std::string&) { return HttpAnswer{.body = "up 1\n"}; }}},
                    {.guard = &guard,
                     .clock = clock,
                     .read =
                         [this] {
                           const std::lock_guard lock(mutex);
                           return files;
                         },
                     .handshake_limit = handshake_limit,
                     .review_limit = review_limit});
    ASSERT_TRUE(made) << made.error().message;
    server = *std::move(made);
  }
  [[nodiscard]] TlsClient client() const { return {server->port(), authority.certificate_pem()}; }

  TestAuthority authority{"authority one"};
  std::mutex mutex;
  std::optional<ServingCertificate> files;
  testing::VirtualClock clock;
  testing::TextLogger logger;
  testing::ScriptedReviewer reviewer;
  AccessGuard guard{reviewer, clock, logger};
  std::unique_ptr<HttpServer> server;
};

TEST_F(HttpsServerTest, each_request_of_a_connection_is_decided_on_its_own) {
  serve();
  TlsClient kept(server->port(), authority.certificate_pem());
  EXPECT_EQ(kept.ask("").result_int(), 401U);
  EXPECT_EQ(kept.ask("good").body(), "up 1\n");
  EXPECT_EQ(kept.ask("").result_int(), 401U);
  EXPECT_EQ(kept.ask("bad").result_int(), 403U);
  EXPECT_EQ(kept.ask("old").result_int(), 401U);
  EXPECT_EQ(kept.ask("unlucky").result_int(), 500U);
  EXPECT_EQ(kept.ask("good", http::verb::head).result_int(), 200U);
  EXPECT_EQ(kept.ask("bad", http::verb::head).result_int(), 403U);
  EXPECT_EQ(kept.ask("good").result_int(), 200U);
}

TEST_F(HttpsServerTest, whoever_may_not_read_metrics_does_not_learn_what_else_there_is) {
  serve();
  TlsClient kept(server->port(), authority.certificate_pem());
  EXPECT_EQ(kept.ask("bad", http::verb::get, "/other").result_int(), 403U);
  EXPECT_EQ(kept.ask("good", http::verb::get, "/other").result_int(), 404U);
  EXPECT_EQ(kept.ask("bad", http::verb::put).result_int(), 403U);
  EXPECT_EQ(kept.ask("good", http::verb::put).result_int(), 405U);
}

TEST_F(HttpsServerTest, new_files_serve_new_connections_and_unusable_ones_leave_the_old) {
  serve();
  const TestAuthority other("authority two");
  const auto trusts = [this](const TestAuthority& one) {
    try {
      return TlsClient(server->port(), one.certificate_pem()).ask("good").result_int() == 200;
    } catch (const boost::system::system_error&) {
      return false;
    }
  };
  const auto good = files;
  use(other);
  const auto others = files;
  for (const auto& unusable : {std::optional<ServingCertificate>(), std::optional(ServingCertificate{"", ""}),
                               std::optional(ServingCertificate{others->certificate_pem, good->key_pem})}) {
    {
      const std::lock_guard lock(mutex);
      files = unusable;
    }
    clock.advance(seconds(10));
    EXPECT_TRUE(trusts(authority));
  }
  {
    const std::lock_guard lock(mutex);
    files = others;
  }
  EXPECT_TRUE(trusts(authority)) << "they are not looked at for each connection";
  clock.advance(seconds(10));
  EXPECT_TRUE(trusts(other));
  EXPECT_FALSE(trusts(authority));
}

TEST_F(HttpsServerTest, a_slow_review_holds_up_nobody_else_and_has_a_bound) {
  serve(std::chrono::milliseconds(200));
  auto slow = std::async(std::launch::async, [this] { return client().ask("slow").result_int(); });
  EXPECT_EQ(client().ask("good").result_int(), 200U);
  EXPECT_EQ(slow.get(), 500U);
  reviewer.answer_all(ReviewAnswer::Allowed);
  EXPECT_EQ(client().ask("slow").result_int(), 200U) << "the late answer serves the next request";
}

TEST_F(HttpsServerTest, an_answer_that_comes_too_late_decides_no_other_request) {
  serve(std::chrono::milliseconds(100));
  TlsClient kept(server->port(), authority.certificate_pem());
  EXPECT_EQ(kept.ask("slow").result_int(), 500U);
  auto next = std::async(std::launch::async, [&] { return kept.ask("slower").result_int(); });
  while (reviewer.reviews() < 2) std::this_thread::yield();
  reviewer.answer_first(ReviewAnswer::Allowed);
  EXPECT_EQ(next.get(), 500U);
}

TEST_F(HttpsServerTest, a_client_that_does_not_speak_tls_is_dropped) {
  serve(seconds(20), std::chrono::milliseconds(100));
  asio::io_context context;
  asio::ip::tcp::socket silent(context);
  silent.connect({asio::ip::make_address("127.0.0.1"), server->port()});
  std::string nothing;
  boost::system::error_code end;
  asio::read(silent, asio::dynamic_buffer(nothing), end);
  EXPECT_TRUE(end) << "the server has hung up";
  EXPECT_EQ(nothing, "");
  EXPECT_EQ(client().ask("good").result_int(), 200U);
}

TEST_F(HttpsServerTest, an_answer_may_come_after_the_server_has_stopped) {
  serve();
  auto asking = std::async(std::launch::async, [this] {
    try {
      return client().ask("slow").result_int();
    } catch (const boost::system::system_error&) {
      return 0U;
    }
  });
  while (reviewer.reviews() == 0) std::this_thread::yield();
  server.reset();
  EXPECT_EQ(asking.get(), 0U);
  reviewer.answer_all(ReviewAnswer::Allowed);
}

TEST_F(HttpsServerTest, what_it_makes_for_itself_can_be_used) {
  auto made = make_self_signed_certificate();
  ASSERT_TRUE(made);
  files = *made;
  serve();
  EXPECT_EQ(TlsClient(server->port(), made->certificate_pem).ask("good").result_int(), 200U);
}

TEST_F(HttpsServerTest, without_a_usable_certificate_it_does_not_start) {
  for (const auto& unusable : {std::optional<ServingCertificate>(), std::optional(ServingCertificate{"a", "b"})}) {
    const auto made =
        serve_https("127.0.0.1:0", {}, {.guard = &guard, .clock = clock, .read = [&] { return unusable; }});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().error_class, ErrorClass::Terminal);
  }
}

}  // namespace
}  // namespace reprise::runtime
