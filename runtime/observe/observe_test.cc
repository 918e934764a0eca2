#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "runtime/observe/health.h"
#include "runtime/observe/http_server.h"
#include "runtime/observe/metrics.h"

namespace reprise::runtime {
namespace {

std::string get(std::uint16_t port, const std::string& target) {
  namespace asio = boost::asio;
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  socket.connect({asio::ip::make_address("127.0.0.1"), port});
  asio::write(socket, asio::buffer("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  std::string answer;
  boost::system::error_code end;
  asio::read(socket, asio::dynamic_buffer(answer), end);
  return answer;
}

TEST(Metrics, text_form_is_what_prometheus_reads) {
  MetricsRegistry metrics;
  metrics.counter("b_total", "Counts b.", {{"x", "a\"\\\nz"}}).add(3);
  metrics.gauge("a", "Shows a.").set(1.5);
  metrics.gauge_of("c", "Reads c.", {}, [] { return 7.0; });
  auto& histogram = metrics.histogram("d_seconds", "Times d.", {{"k", "v"}}, {0.1, 1});
  histogram.observe(0.1);
  histogram.observe(0.5);
  histogram.observe(9);
  EXPECT_EQ(metrics.expose(),
            "# HELP a Shows a.\n# TYPE a gauge\na 1.5\n"
            "# HELP b_total Counts b.\n# TYPE b_total counter\nb_total{x=\"a\\\"\\\\\\nz\"} 3\n"
            "# HELP c Reads c.\n# TYPE c gauge\nc 7\n"
            "# HELP d_seconds Times d.\n# TYPE d_seconds histogram\n"
            "d_seconds_bucket{k=\"v\",le=\"0.1\"} 1\nd_seconds_bucket{k=\"v\",le=\"1\"} 2\n"
            "d_seconds_bucket{k=\"v\",le=\"+Inf\"} 3\nd_seconds_sum{k=\"v\"} 9.6\nd_seconds_count{k=\"v\"} 3\n");
}

TEST(Metrics, a_counter_is_shown_from_its_making_on_and_is_one_for_one_name) {
  MetricsRegistry metrics;
  (void)metrics.counter("x_total", "X.");
  EXPECT_NE(metrics.expose().find("x_total 0"), std::string::npos);
  EXPECT_EQ(&metrics.counter("x_total", "X."), &metrics.counter("x_total", "X."));
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

TEST(HttpServer, an_address_of_0_means_none_and_a_bad_one_is_told) {
  EXPECT_EQ(serve_http("0", {})->get(), nullptr);
  EXPECT_EQ(serve_http("nonsense", {}).error().error_class, ErrorClass::Terminal);
  const auto first = serve_http("127.0.0.1:0", {});
  const auto second = serve_http("127.0.0.1:" + std::to_string((*first)->port()), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error_class, ErrorClass::Unavailable);
}

}  // namespace
}  // namespace reprise::runtime
