// A small HTTP/1.1 server for metrics, probes, debugging and what pods report, on its own thread: it answers also when
// everything else is busy.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/metrics/metrics.h"
#include "runtime/metrics/serving/access_guard.h"
#include "runtime/metrics/serving/health.h"
#include "runtime/metrics/serving/serving_certificate.h"

namespace reprise::runtime {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::optional<std::int64_t> retry_after_seconds = {};  // the header of that name
};
struct HttpPost {
  std::string authorization;  // the header of that name
  std::string body;
};
// Called on the server's thread.
struct HttpRoute {
  using Handler = std::function<HttpAnswer(const std::string&)>;
  // Takes the answer: once, now or later, on any thread. An answer after HttpsOptions::review_limit is dropped.
  using Answer = std::function<void(HttpAnswer)>;
  HttpRoute() = default;
  template <std::invocable<const std::string&> Get>
  // NOLINTNEXTLINE(google-explicit-constructor): a handler alone is a route
  HttpRoute(Get on_get, Handler on_put = {}) : get(std::move(on_get)), put(std::move(on_put)) {}

  Handler get;                                 // takes the query of the URL ("verbose"); serves HEAD as well
  Handler put;                                 // takes the body, at most 1 KiB; empty: not allowed
  std::function<void(HttpPost, Answer)> post;  // empty: not allowed
};
// Routes by path ("/metrics").
using HttpRoutes = std::map<std::string, HttpRoute, std::less<>>;

// Destroying it stops it.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
};

// `address`: ":8080" (IPv6 and IPv4), "127.0.0.1:0" (any free port), "[::1]:8080"; "0" or empty: no server (null).
[[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_http(const std::string& address, HttpRoutes routes);

struct HttpsOptions {
  AccessGuard* guard = nullptr;  // none: every request reaches the routes, and they decide
  const Clock& clock;
  // The certificate and its key as they are now; nothing: not to be had. On the server's thread, so it must be quick,
  // as mounted files are: when a connection comes 10 s (controller-runtime's certwatcher) or more after the last look.
  // A pair that cannot be used leaves the one before in use: a rotation may be caught half done.
  std::function<std::optional<ServingCertificate>()> read;
  // The time until a connection speaks TLS, and until a review, or a route's post, has an answer; later it is dropped,
  // or answered with 500. Both are shorter than Prometheus' longest wait (scrape_timeout, 10 s).
  Duration handshake_limit{5'000}, review_limit{9'000};
  std::uint64_t body_limit = 1024;        // bytes of a request's body; a longer one ends the connection
  std::size_t connections_limit = 1'000;  // open at once; those beyond are closed at once
};

// The same over TLS 1.2 or newer, for requests that the guard lets through: all others get 401, 403 or 500, for any
// path, and each request is decided anew. Guard and clock outlive the server. Terminal where the first certificate
// cannot be used.
[[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_https(const std::string& address, HttpRoutes routes,
                                                              HttpsOptions options);

// serve_http() for a loopback address only ("127.0.0.1:8082", "localhost:8082", "[::1]:8082"; Terminal otherwise), and
// a request that names another host is rejected: in a pod it is reached by `kubectl port-forward`, that is by users
// with the right to pods/portforward, and not by a web page.
[[nodiscard]] Result<std::unique_ptr<HttpServer>> serve_loopback(const std::string& address, HttpRoutes routes);

// All outlive the server.
[[nodiscard]] HttpRoutes metrics_routes(const MetricsRegistry& metrics);
// GET /debug/state: `state()`. GET and PUT /debug/log-level: the level as text, "debug\n" (400 when it is none).
[[nodiscard]] HttpRoutes debug_routes(std::function<std::string()> state, Logger& logger);
// /healthz and /livez answer for liveness, /readyz for readiness: 200 "ok" or 503 with a line per check; 200 with the
// lines too for ?verbose. A failing check is named with its reason.
[[nodiscard]] HttpRoutes health_routes(const HealthChecks& liveness, const HealthChecks& readiness);

}  // namespace reprise::runtime
