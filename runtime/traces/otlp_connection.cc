#include "runtime/traces/otlp_connection.h"

#include <future>
#include <iterator>
#include <random>

#include "runtime/base/files/file_text.h"
#include "runtime/http/asio_executor.h"
#include "runtime/http/curl_transport.h"

namespace reprise::runtime {
namespace {

Result<std::string> read_authorities(const std::string& path) {
  if (path.empty()) return std::string{};
  auto text = file_text(path);
  if (text && !text->empty()) return *std::move(text);
  return fail(ErrorClass::Terminal, "OTEL_EXPORTER_OTLP_CERTIFICATE: cannot read " + path +
                                        "; name a file with the authorities' certificates in PEM");
}

ServerConfig server_of(const OtlpEndpoint& endpoint, std::string authorities) {
  constexpr std::size_t answers = 1U << 20U;
  ServerConfig server;
  server.url = endpoint.server;
  server.identity.ca_pem = std::move(authorities);
  server.response_limit = answers;
  return server;
}

ExporterOptions options_of(const OtlpEndpoint& endpoint, TraceSource source) {
  return {.path = endpoint.path, .headers = endpoint.headers, .source = std::move(source)};
}

}  // namespace

struct OtlpConnection::Parts {
  Parts(const OtlpEndpoint& endpoint, std::string authorities, TraceSource source, MetricsRegistry& metrics,
        Logger& logger)
      : transport(make_curl_transport(executor, server_of(endpoint, std::move(authorities)))),
        exporter(options_of(endpoint, std::move(source)), *transport, executor, random, metrics, logger) {}
  // Stops the executor first: nothing runs while the other members go.
  ~Parts() { executor.stop(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  SeededRandom random{std::random_device{}()};
  AsioExecutor executor;
  std::unique_ptr<Transport> transport;
  SpanExporter exporter;
};

Result<std::unique_ptr<OtlpConnection>> OtlpConnection::open(const OtlpEndpoint& endpoint, TraceSource source,
                                                             MetricsRegistry& metrics, Logger& logger) {
  auto authorities = read_authorities(endpoint.ca_file);
  if (!authorities) return std::unexpected(std::move(authorities.error()));
  return std::unique_ptr<OtlpConnection>(new OtlpConnection(
      std::make_unique<Parts>(endpoint, std::move(*authorities), std::move(source), metrics, logger)));
}

OtlpConnection::OtlpConnection(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

OtlpConnection::~OtlpConnection() = default;

void OtlpConnection::add(std::vector<Span> spans) {
  parts_->exporter.add(std::move(spans));
}

bool OtlpConnection::flush(Duration limit) {
  // Shared: a caller that gave up may be gone when it is done.
  const auto done = std::make_shared<std::promise<void>>();
  auto future = done->get_future();
  parts_->exporter.flush([done] { done->set_value(); });
  return future.wait_for(limit) == std::future_status::ready;
}

}  // namespace reprise::runtime
