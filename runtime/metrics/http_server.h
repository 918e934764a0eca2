// A small HTTP/1.1 server for metrics, probes and debugging, on its own thread: it answers also when everything else is
// busy.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/metrics/health.h"
#include "runtime/metrics/metrics.h"

namespace reprise::runtime {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};
// Called on the server's thread.
struct HttpRoute {
  using Handler = std::function<HttpAnswer(const std::string&)>;
  HttpRoute() = default;
  template <std::invocable<const std::string&> Get>
  HttpRoute(Get on_get, Handler on_put = {}) : get(std::move(on_get)), put(std::move(on_put)) {}

  Handler get;  // takes the query of the URL ("verbose"); serves HEAD as well
  Handler put;  // takes the body, at most 1 KiB; empty: not allowed
};
// By path ("/metrics").
using HttpRoutes = std::map<std::string, HttpRoute, std::less<>>;

// Destroying it stops it.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
};

// `address`: ":8080", "127.0.0.1:0" (any free port), "[::1]:8080"; "0" or empty: no server (null).
[[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_http(const std::string& address, HttpRoutes routes);

// The same for a loopback address only ("127.0.0.1:8082", "localhost:8082", "[::1]:8082"; Terminal otherwise), and a
// request that names another host is rejected: in a pod it is reached by `kubectl port-forward`, that is by whoever has
// the right to pods/portforward, and not by a web page.
[[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_loopback(const std::string& address, HttpRoutes routes);

// All outlive the server.
[[nodiscard]] HttpRoutes metrics_routes(const MetricsRegistry& metrics);
// GET /debug/state: `state()`. GET and PUT /debug/log-level: the level as text, "debug\n" (400 when it is none).
[[nodiscard]] HttpRoutes debug_routes(std::function<std::string()> state, Logger& logger);
// /healthz and /livez answer for liveness, /readyz for readiness: 200 "ok" or 503 with a line per check; 200 with the
// lines too for ?verbose. A failing check is named with its reason.
[[nodiscard]] HttpRoutes health_routes(const HealthChecks& liveness, const HealthChecks& readiness);

}  // namespace reprise::runtime
