// The exporter of a real process, against receivers in this process.
#include "runtime/traces/otlp_connection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "runtime/http/testing/h2_peer.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::H2Answer;
using testing::H2Peer;
using testing::H2Request;
using testing::TestAuthority;

std::unique_ptr<OtlpConnection> connect(const OtlpEndpoint& endpoint, MetricsRegistry& metrics, Logger& logger) {
  auto opened = OtlpConnection::open(
      endpoint, {.resource = {{"service.name", "test"}}, .scope = "test", .scope_version = {}}, metrics, logger);
  EXPECT_TRUE(opened);
  return opened ? std::move(*opened) : nullptr;
}

std::vector<Span> one_span() {
  Span span;
  span.trace = trace_id_of("job");
  span.id = span_id_of("job");
  span.name = "job";
  return {span};
}

TEST(OtlpConnection, sends_over_tls_to_a_receiver_that_the_given_authority_vouches_for) {
  const TestAuthority authority("collectors");
  std::mutex mutex;
  std::vector<H2Request> seen;
  H2Peer receiver({.identity = authority.issue("collector")}, [&](const H2Request& request) {
    const std::lock_guard lock(mutex);
    seen.push_back(request);
    return H2Answer{.body = "{}"};
  });
  const auto file = std::filesystem::temp_directory_path() / ("otlp-ca-" + std::to_string(getpid()) + ".pem");
  std::ofstream(file) << authority.certificate_pem();
  MetricsRegistry metrics;
  const auto logger = make_stderr_logger(LogLevel::Error, LogFormat::Text);
  const auto connection = connect({.server = receiver.url(),
                                   .path = "/v1/traces",
                                   .headers = {{"authorization", "Bearer abc"}},
                                   .ca_file = file.string()},
                                  metrics, *logger);
  connection->add(one_span());
  EXPECT_TRUE(connection->flush(seconds(10)));
  std::filesystem::remove(file);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[0].path, "/v1/traces");
  EXPECT_EQ(seen[0].headers["content-type"], "application/json");
  EXPECT_EQ(seen[0].headers["authorization"], "Bearer abc");
  EXPECT_TRUE(seen[0].body.starts_with(R"({"resourceSpans":[{"resource":)")) << seen[0].body;
}

TEST(OtlpConnection, sends_without_tls_where_the_url_says_so) {
  namespace asio = boost::asio;
  asio::io_context context;
  asio::ip::tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), 0});
  std::string first_line;
  std::thread receiver([&] {
    asio::ip::tcp::socket socket = acceptor.accept();
    std::string text;
    asio::read_until(socket, asio::dynamic_buffer(text), "]}]}");  // the end of the body
    first_line = text.substr(0, text.find("\r\n"));
    asio::write(socket, asio::buffer(std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")));
  });
  MetricsRegistry metrics;
  const auto logger = make_stderr_logger(LogLevel::Error, LogFormat::Text);
  const auto port = std::to_string(acceptor.local_endpoint().port());
  const auto connection = connect(
      {.server = "http://127.0.0.1:" + port, .path = "/v1/traces", .headers = {}, .ca_file = {}}, metrics, *logger);
  connection->add(one_span());
  EXPECT_TRUE(connection->flush(seconds(10)));
  receiver.join();
  EXPECT_EQ(first_line, "POST /v1/traces HTTP/1.1");
  EXPECT_EQ(metrics.counter("reprise_trace_spans_sent_total", "").value(), 1);
}

TEST(OtlpConnection, ends_with_its_process_within_the_time_it_is_given_although_the_receiver_is_silent) {
  const TestAuthority authority("collectors");
  H2Peer receiver({.identity = authority.issue("collector")},
                  [](const H2Request&) { return H2Answer{.act = testing::H2Act::Silence}; });
  const auto file = std::filesystem::temp_directory_path() / ("otlp-ca-silent-" + std::to_string(getpid()) + ".pem");
  std::ofstream(file) << authority.certificate_pem();
  MetricsRegistry metrics;
  const auto logger = make_stderr_logger(LogLevel::Error, LogFormat::Text);
  auto connection = connect({.server = receiver.url(), .path = "/v1/traces", .headers = {}, .ca_file = file.string()},
                            metrics, *logger);
  connection->add(one_span());
  EXPECT_FALSE(connection->flush(Duration(200)));
  connection.reset();
  std::filesystem::remove(file);
}

TEST(OtlpConnection, names_a_file_of_authorities_that_it_cannot_read) {
  MetricsRegistry metrics;
  const auto logger = make_stderr_logger(LogLevel::Error, LogFormat::Text);
  const auto opened = OtlpConnection::open({.server = "https://c", .path = "/", .headers = {}, .ca_file = "/not/there"},
                                           {}, metrics, *logger);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("/not/there"), std::string::npos);
}

}  // namespace
}  // namespace reprise::runtime
