// The real transport against a server in this process, without TLS; http2_test.cc is about what HTTP/2 adds.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "runtime/http/asio_executor.h"
#include "runtime/http/curl_transport.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct HttpTest : ::testing::Test {
  HttpTest() {
    HttpRoutes routes;
    routes["/hello"] = [](const std::string& query) { return HttpAnswer{200, "text/plain", "hello " + query}; };
    routes["/refuse"] = [](const std::string&) { return HttpAnswer{429, "text/plain", "later"}; };
    routes["/hang"] = [this](const std::string&) {
      hung.get_future().wait();
      return HttpAnswer{};
    };
    server = *serve_http("127.0.0.1:0", std::move(routes));
    connect("http://127.0.0.1:" + std::to_string(server->port()));
  }
  ~HttpTest() override {
    if (!let_go) hung.set_value();
    executor.stop();
  }
  void connect(const std::string& url) {
    ServerConfig config;
    config.url = url;
    on_thread([&] { transport = make_curl_transport(executor, config); });
  }
  void release() {
    let_go = true;
    hung.set_value();
  }
  void on_thread(const std::function<void()>& work) {
    std::promise<void> done;
    executor.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  std::promise<void> hung;
  bool let_go = false;
  std::unique_ptr<HttpServer> server;
  AsioExecutor executor;
  std::unique_ptr<Transport> transport;
};

struct Collector final : StreamSink {
  void on_status(int code, std::optional<Duration>) override { status = code; }
  void on_bytes(std::string_view more) override {
    bytes += more;
    if (on_data) on_data();
  }
  void on_closed(std::optional<Error> end) override {
    error = std::move(end);
    closed.set_value();
  }
  std::function<void()> on_data;
  int status = 0;
  std::string bytes;
  std::optional<Error> error;
  std::promise<void> closed;
};

TEST_F(HttpTest, an_answer_is_an_answer_whatever_its_status) {
  const auto hello = transport->send({.path_and_query = "/hello?x"});
  ASSERT_TRUE(hello) << hello.error().message;
  EXPECT_EQ(hello->body, "hello x");
  EXPECT_EQ(hello->content_type, "text/plain");
  EXPECT_EQ(transport->send({.path_and_query = "/refuse"})->status, 429);
}

TEST_F(HttpTest, nobody_there_is_unavailable) {
  connect("http://127.0.0.1:1");
  const auto answer = transport->send({.path_and_query = "/hello"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error_class, ErrorClass::Unavailable);
}

TEST_F(HttpTest, a_server_that_hangs_is_given_up) {
  const auto answer = transport->send({.path_and_query = "/hang", .timeout = milliseconds(100)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error_class, ErrorClass::Unavailable);
}

TEST_F(HttpTest, the_last_look_is_taken_when_the_connection_stands_right_before_the_request) {
  std::atomic<int> asked{0};
  Request request{.path_and_query = "/hello"};
  request.before_send = [&]() -> Result<void> {
    EXPECT_TRUE(executor.on_thread());
    if (++asked == 2) return fail(ErrorClass::NoPermit, "ended");
    return {};
  };
  const auto answer = transport->send(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error_class, ErrorClass::NoPermit);
  EXPECT_EQ(asked, 2);
}

TEST_F(HttpTest, many_threads_share_the_transport) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const auto answer = transport->send({.path_and_query = "/hello?" + std::to_string(i)});
        if (answer && answer->body == "hello " + std::to_string(i)) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

TEST_F(HttpTest, a_request_that_waited_for_a_slot_may_replace_the_connection_whose_end_freed_it) {
  ServerConfig config;
  config.url = "http://127.0.0.1:" + std::to_string(server->port());
  config.requests_at_once = 1;
  config.connection_age = [] { return Duration{0}; };
  on_thread([&] { transport = make_curl_transport(executor, config); });
  std::atomic<int> good{0};
  std::vector<std::promise<void>> ended(3);
  for (auto& end : ended) {
    transport->send_async({.path_and_query = "/hello"}, [&](const Result<Response>& answer) {
      if (answer && answer->status == 200) ++good;
      end.set_value();
    });
  }
  for (auto& end : ended) end.get_future().wait();
  EXPECT_EQ(good, 3);
}

TEST_F(HttpTest, a_stream_tells_status_bytes_and_end) {
  Collector sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/hello?s"}, sink); });
  sink.closed.get_future().wait();
  EXPECT_EQ(sink.status, 200);
  EXPECT_EQ(sink.bytes, "hello s");
  EXPECT_FALSE(sink.error);
  on_thread([&] { stream.reset(); });
}

TEST_F(HttpTest, a_stream_may_be_destroyed_inside_its_own_callback) {
  Collector sink;
  std::unique_ptr<Stream> stream;
  std::promise<void> gone;
  sink.on_data = [&] {
    stream.reset();
    gone.set_value();
  };
  on_thread([&] { stream = transport->open({.path_and_query = "/hello?s"}, sink); });
  gone.get_future().wait();
  EXPECT_EQ(transport->send({.path_and_query = "/hello"})->status, 200);
  EXPECT_EQ(sink.closed.get_future().wait_for(seconds(0)), std::future_status::timeout);
}

TEST_F(HttpTest, a_cancelled_stream_is_silent) {
  Collector sink;
  on_thread([&] {
    auto stream = transport->open({.path_and_query = "/hang"}, sink);
    stream.reset();
  });
  release();
  EXPECT_EQ(transport->send({.path_and_query = "/hello"})->status, 200);
  EXPECT_EQ(sink.status, 0);
}

TEST(AsioExecutor, a_timer_fires_once_and_a_destroyed_timer_never) {
  AsioExecutor executor;
  std::promise<void> fired;
  std::atomic<bool> wrong{false};
  auto cancelled = executor.after(milliseconds(5), [&] { wrong = true; });
  cancelled.reset();
  const auto timer = executor.after(milliseconds(20), [&] { fired.set_value(); });
  fired.get_future().wait();
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace reprise::runtime
