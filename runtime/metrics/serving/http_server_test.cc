#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <optional>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "runtime/metrics/metrics.h"
#include "runtime/metrics/serving/health.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::runtime {
namespace {

std::string ask(std::uint16_t port, const std::string& request, const char* address = "127.0.0.1") {
  namespace asio = boost::asio;
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  socket.connect({asio::ip::make_address(address), port});
  boost::system::error_code end;  // the server may hang up before it has read all
  asio::write(socket, asio::buffer(request), end);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), end);
  return answer;
}

std::string get(std::uint16_t port, const std::string& target, const std::string& host = "x") {
  return ask(port, "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
}

std::string put(std::uint16_t port, const std::string& target, const std::string& body) {
  return ask(port, "PUT " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n" + body);
}

struct LevelOnly final : Logger {
  void log(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
  [[nodiscard]] bool enabled(LogLevel level) const override { return level >= lowest; }
  bool set_level(LogLevel level) override {
    lowest = level;
    return true;
  }
  std::atomic<LogLevel> lowest{LogLevel::Info};
};

// While it lives nothing can open another file.
struct NoDescriptors {
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before);
    const int next = dup(STDERR_FILENO);
    close(next);
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  rlimit before{};
};

std::chrono::nanoseconds processor_time() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

TEST(HttpServer, without_file_descriptors_it_waits_idly_until_there_are_some) {
  namespace asio = boost::asio;
  const auto server = serve_http("127.0.0.1:0", {{"/x", [](const std::string&) { return HttpAnswer{}; }}});
  ASSERT_TRUE(server);
  asio::io_context context;
  asio::ip::tcp::socket socket(context, asio::ip::tcp::v4());
  // Asked for before: the undefined-behaviour sanitizer needs a descriptor for its first look at an object.
  const asio::ip::tcp::endpoint there(asio::ip::make_address("127.0.0.1"), (*server)->port());
  std::optional<NoDescriptors> none(std::in_place);
  socket.connect(there);
  asio::write(socket, asio::buffer(std::string("GET /x HTTP/1.0\r\n\r\n")));
  const auto begin = processor_time();
  pollfd answer{.fd = socket.native_handle(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&answer, 1, 1'000), 0);
  EXPECT_LT(processor_time() - begin, std::chrono::milliseconds(100));
  none.reset();
  std::string text;
  boost::system::error_code end;
  asio::read(socket, asio::dynamic_buffer(text), end);
  EXPECT_NE(text.find("200 OK"), std::string::npos);
}

TEST(HttpServer, serves_metrics_and_probes_on_any_free_port) {
  MetricsRegistry metrics;
  metrics.counter("x_total", "X.").add();
  HealthChecks liveness, readiness;
  bool synced = false;
  readiness.add("caches", [&synced]() -> Result<void> {
    if (synced) return {};
    return fail(ErrorClass::Unavailable, "Pod has not synced");
  });
  const auto server = serve_http("127.0.0.1:0", metrics_routes(metrics));
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_NE(get((*server)->port(), "/metrics").find("x_total 1"), std::string::npos);
  EXPECT_NE(get((*server)->port(), "/other").find("404"), std::string::npos);

  const auto health = serve_http("127.0.0.1:0", health_routes(liveness, readiness));
  ASSERT_TRUE(health);
  EXPECT_NE(get((*health)->port(), "/healthz").find("200 OK"), std::string::npos);
  const std::string unready = get((*health)->port(), "/readyz");
  EXPECT_NE(unready.find("503"), std::string::npos);
  EXPECT_NE(unready.find("[-]caches failed: Pod has not synced"), std::string::npos);
  synced = true;
  EXPECT_NE(get((*health)->port(), "/readyz?verbose").find("[+]caches ok"), std::string::npos);
}

// In a cluster of IPv6 alone the kubelet asks there whether a pod is well.
TEST(HttpServer, without_a_host_it_listens_at_addresses_of_both_families) {
  namespace asio = boost::asio;
  const auto server = serve_http(":0", {{"/x", [](const std::string&) { return HttpAnswer{.body = "content"}; }}});
  ASSERT_TRUE(server);
  const std::string request = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  EXPECT_TRUE(ask((*server)->port(), request).ends_with("content"));
  asio::io_context context;
  asio::ip::tcp::acceptor probe(context);
  boost::system::error_code without;
  probe.open(asio::ip::tcp::v6(), without);
  if (!without) probe.bind({asio::ip::make_address("::1"), 0}, without);
  if (without) GTEST_SKIP() << "this machine has no IPv6";
  EXPECT_TRUE(ask((*server)->port(), request, "::1").ends_with("content"));
}

TEST(HttpServer, an_address_of_0_means_none_and_a_bad_one_is_reported) {
  EXPECT_EQ(serve_http("0", {})->get(), nullptr);
  EXPECT_EQ(serve_http("nonsense", {}).error().error_class, ErrorClass::Terminal);
  const auto first = serve_http("127.0.0.1:0", {});
  const auto second = serve_http("127.0.0.1:" + std::to_string((*first)->port()), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error_class, ErrorClass::Unavailable);
}

TEST(HttpServer, probes_say_which_check_failed_and_list_all_when_asked) {
  HealthChecks liveness, readiness;
  std::atomic<bool> well{true};
  liveness.add("loop", [] { return Result<void>(); });
  liveness.add("workers", [&well]() -> Result<void> {
    if (well) return {};
    return fail(ErrorClass::Unavailable, "n/a is stuck");
  });
  const auto server = serve_http("127.0.0.1:0", health_routes(liveness, readiness));
  ASSERT_TRUE(server);
  const auto port = (*server)->port();
  for (const char* path : {"/healthz", "/livez"}) {
    well = true;
    EXPECT_TRUE(get(port, path).ends_with("\r\n\r\nok")) << path;
    EXPECT_NE(get(port, std::string(path) + "?verbose").find("[+]loop ok\n[+]workers ok\n"), std::string::npos);
    well = false;
    const std::string failed = get(port, path);
    EXPECT_NE(failed.find("503"), std::string::npos);
    EXPECT_NE(failed.find("[+]loop ok\n[-]workers failed: n/a is stuck\n"), std::string::npos);
  }
  EXPECT_NE(get(port, "/readyz").find("200 OK"), std::string::npos);
}

TEST(HttpServer, a_head_request_is_answered_without_a_body_and_others_are_not_allowed) {
  const auto server =
      serve_http("127.0.0.1:0", {{"/x", [](const std::string&) { return HttpAnswer{.body = "content"}; }}});
  ASSERT_TRUE(server);
  const std::string head = ask((*server)->port(), "HEAD /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(head.find("200 OK"), std::string::npos);
  EXPECT_NE(head.find("Content-Length: 7"), std::string::npos);
  EXPECT_EQ(head.find("content"), std::string::npos);
  for (const char* method : {"PUT", "POST", "DELETE"}) {
    const std::string answer = ask((*server)->port(), std::string(method) +
                                                          " /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                                          "Content-Length: 0\r\n\r\n");
    EXPECT_NE(answer.find("405"), std::string::npos) << method;
  }
}

TEST(Debugging, shows_the_state_and_changes_the_log_level) {
  LevelOnly logger;
  const auto server = serve_loopback("127.0.0.1:0", debug_routes([] { return "informer kind=Pod\n"; }, logger));
  ASSERT_TRUE(server);
  const auto port = (*server)->port();
  EXPECT_NE(get(port, "/debug/state", "localhost").find("informer kind=Pod"), std::string::npos);
  EXPECT_TRUE(get(port, "/debug/log-level", "localhost").ends_with("info\n"));
  EXPECT_TRUE(put(port, "/debug/log-level", "debug\n").ends_with("debug\n"));
  EXPECT_EQ(logger.lowest, LogLevel::Debug);
  EXPECT_NE(put(port, "/debug/log-level", "loud").find("400"), std::string::npos);
  EXPECT_EQ(logger.lowest, LogLevel::Debug);
  EXPECT_NE(put(port, "/debug/state", "x").find("405"), std::string::npos);
  EXPECT_EQ(put(port, "/debug/log-level", std::string(100'000, 'x')).find("200 OK"), std::string::npos);
  EXPECT_EQ(logger.lowest, LogLevel::Debug);
}

TEST(Debugging, is_for_loopback_alone) {
  LevelOnly logger;
  for (const char* address : {":8082", "0.0.0.0:8082", "10.0.0.1:8082", "[::]:8082"}) {
    const auto server = serve_loopback(address, debug_routes([] { return ""; }, logger));
    ASSERT_FALSE(server) << address;
    EXPECT_EQ(server.error().error_class, ErrorClass::Terminal) << address;
  }
  const auto server = serve_loopback("localhost:0", debug_routes([] { return "secret plan"; }, logger));
  ASSERT_TRUE(server);
  for (const char* host : {"evil.example", "evil.example:8082", "127.0.0.1.evil.example", "", "localhost.evil"}) {
    EXPECT_NE(get((*server)->port(), "/debug/state", host).find("403"), std::string::npos) << host;
  }
  for (const char* host : {"localhost", "localhost:8082", "127.0.0.1:1", "[::1]:8082", "[::1]"}) {
    EXPECT_NE(get((*server)->port(), "/debug/state", host).find("secret plan"), std::string::npos) << host;
  }
}

}  // namespace
}  // namespace reprise::runtime
