// Serves a manager's metrics, plain or over TLS.
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/manager/internal/parts.h"
#include "runtime/metrics/serving/serving_certificate.h"

namespace reprise::runtime {

Result<std::unique_ptr<HttpServer>> Manager::Parts::serve_metrics() {
  HttpRoutes routes = metrics_routes(metrics);
  if (!options.metrics_secure) return serve_http(options.metrics_address, std::move(routes));
  if (options.metrics_address.empty() || options.metrics_address == "0") return std::unique_ptr<HttpServer>();
  std::function<std::optional<ServingCertificate>()> read = [folder = options.metrics_certificate] {
    return read_serving_certificate(folder);
  };
  if (options.metrics_certificate.empty()) {
    auto own = make_self_signed_certificate();
    if (!own) return std::unexpected(std::move(own.error()));
    read = [own = *std::move(own)] { return own; };
  }
  metrics_access = std::make_unique<internal::MetricsAccess>(world->transport, world->clock, world->logger);
  auto server = serve_https(options.metrics_address, std::move(routes),
                            {.guard = &metrics_access->guard, .clock = world->clock, .read = std::move(read)});
  if (!server && !options.metrics_certificate.empty()) {
    return std::unexpected(
        std::move(server.error()).with_context("tls.crt and tls.key in " + options.metrics_certificate));
  }
  return server;
}

}  // namespace reprise::runtime
