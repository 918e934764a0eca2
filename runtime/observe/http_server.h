// A small HTTP/1.1 server for metrics and probes, on its own thread: it answers also when everything else is busy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "runtime/base/error.h"
#include "runtime/observe/health.h"
#include "runtime/observe/metrics.h"

namespace reprise::runtime {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};
// By path ("/metrics"); called on the server's thread with the query ("verbose"). GET only.
using HttpRoutes = std::map<std::string, std::function<HttpAnswer(const std::string& query)>, std::less<>>;

// Destroying it stops it.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
};

// `address`: ":8080", "127.0.0.1:0" (any free port), "[::1]:8080"; "0" or empty: no server (null).
[[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_http(const std::string& address, HttpRoutes routes);

// Both outlive the server.
[[nodiscard]] HttpRoutes metrics_routes(const MetricsRegistry& metrics);
[[nodiscard]] HttpRoutes health_routes(const HealthChecks& liveness, const HealthChecks& readiness);

}  // namespace reprise::runtime
