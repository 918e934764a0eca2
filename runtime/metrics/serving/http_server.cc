#include "runtime/metrics/serving/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/metrics/internal/http_session.h"
#include "runtime/metrics/internal/site.h"
#include "runtime/metrics/internal/tls_contexts.h"

namespace reprise::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using internal::HttpSession;
using internal::Mailbox;
using internal::plain;
using internal::Site;

// Listens at IPv4 too when the endpoint is the unspecified IPv6 address, and at IPv4 alone on a machine without IPv6:
// pods have addresses of either family, and the kubelet asks the first of them.
tcp::acceptor listen_at(asio::io_context& context, const tcp::endpoint& endpoint) {
  if (endpoint != tcp::endpoint(tcp::v6(), endpoint.port())) return {context, endpoint};
  tcp::acceptor both(context);
  beast::error_code error;
  both.open(tcp::v6(), error);
  if (!error) both.set_option(asio::ip::v6_only(false), error);
  if (!error) both.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) both.bind(endpoint, error);
  if (!error) both.listen(asio::socket_base::max_listen_connections, error);
  return error ? tcp::acceptor(context, tcp::endpoint(tcp::v4(), endpoint.port())) : std::move(both);
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const tcp::endpoint& endpoint, Site site, std::optional<internal::TlsContexts> tls)
      : site_(std::move(site)),
        tls_(std::move(tls)),
        acceptor_(listen_at(context_, endpoint)),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~BeastServer() override {
    context_.stop();
    thread_.join();
    mailbox_->close();
  }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;
  [[nodiscard]] std::uint16_t port() const override { return port_; }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      begin(std::move(socket));
      accept();
    });
  }
  void begin(tcp::socket socket) {
    using internal::PlainStream, internal::TlsStream;
    auto connection = connections_.take(site_.connections_limit);
    if (!connection) return;
    if (!tls_) {
      return std::make_shared<HttpSession<PlainStream>>(std::move(socket), site_, mailbox_, std::move(connection))
          ->start();
    }
    std::make_shared<HttpSession<TlsStream>>(std::move(socket), site_, mailbox_, std::move(connection), tls_->current())
        ->start();
  }
  // Without descriptors the connection stays in the queue, and asking for it again would fail again at once.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](beast::error_code error) {
      if (!error) accept();
    });
  }

  Site site_;
  internal::Connections connections_;
  std::optional<internal::TlsContexts> tls_;
  asio::io_context context_{1};
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>(context_);
  tcp::acceptor acceptor_;
  asio::steady_timer pause_{context_};
  std::uint16_t port_;
  std::thread thread_;
};

std::optional<tcp::endpoint> parse(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* end = address.data() + address.size();
  const auto read = std::from_chars(address.data() + colon + 1, end, port);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  if (host.empty()) return tcp::endpoint(tcp::v6(), port);
  beast::error_code error;
  const auto ip = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error) return std::nullopt;
  return tcp::endpoint(ip, port);
}

HttpAnswer report(const HealthChecks& checks, const std::string& query) {
  const HealthReport result = checks.run();
  HttpAnswer given;
  given.status = result.ok ? 200 : 503;
  const bool verbose = query.find("verbose") != std::string::npos;
  given.body = verbose || !result.ok ? result.text : "ok";
  return given;
}

Result<std::unique_ptr<HttpServer>> serve(const std::string& address, Site site,
                                          std::optional<internal::TlsContexts> tls = {}) {
  if (address.empty() || address == "0") return std::unique_ptr<HttpServer>();
  const auto endpoint = parse(address);
  if (!endpoint) {
    return fail(ErrorClass::Terminal, "address \"" + address + "\" is not like \":8080\" or \"127.0.0.1:8080\"");
  }
  if (site.loopback_only && !endpoint->address().is_loopback()) {
    return fail(ErrorClass::Terminal, "address \"" + address + "\" is not a loopback address like \"127.0.0.1:8082\"");
  }
  try {
    return std::make_unique<BeastServer>(*endpoint, std::move(site), std::move(tls));
  } catch (const boost::system::system_error& error) {
    return fail(ErrorClass::Unavailable, "cannot listen on " + address + ": " + error.code().message());
  }
}

}  // namespace

Result<std::unique_ptr<HttpServer>> serve_http(const std::string& address, HttpRoutes routes) {
  return serve(address, {.routes = std::move(routes)});
}

Result<std::unique_ptr<HttpServer>> serve_https(const std::string& address, HttpRoutes routes, HttpsOptions options) {
  auto first = options.read();
  if (!first) return fail(ErrorClass::Terminal, "the server's certificate and key cannot be read");
  auto context = internal::make_tls_context(*first);
  if (!context) return std::unexpected(std::move(context.error()));
  Site site{.routes = std::move(routes),
            .guard = options.guard,
            .handshake_limit = options.handshake_limit,
            .review_limit = options.review_limit,
            .body_limit = options.body_limit,
            .connections_limit = options.connections_limit};
  return serve(address, std::move(site),
               internal::TlsContexts(*std::move(first), *std::move(context), std::move(options.read), options.clock));
}

Result<std::unique_ptr<HttpServer>> serve_loopback(const std::string& address, HttpRoutes routes) {
  return serve(address, {.routes = std::move(routes), .loopback_only = true});
}

HttpRoutes metrics_routes(const MetricsRegistry& metrics) {
  return {{"/metrics", [&metrics](const std::string&) {
             return HttpAnswer{200, "text/plain; version=0.0.4; charset=utf-8", metrics.expose()};
           }}};
}

HttpRoutes health_routes(const HealthChecks& liveness, const HealthChecks& readiness) {
  return {{"/healthz", [&liveness](const std::string& query) { return report(liveness, query); }},
          {"/livez", [&liveness](const std::string& query) { return report(liveness, query); }},
          {"/readyz", [&readiness](const std::string& query) { return report(readiness, query); }}};
}

HttpRoutes debug_routes(std::function<std::string()> state, Logger& logger) {
  const auto shown = [&logger](const std::string&) {
    for (const LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error}) {
      if (logger.enabled(level)) return plain(200, std::string(name(level)) + "\n");
    }
    return plain(200, "off\n");
  };
  const auto set = [&logger, shown](std::string body) {
    while (body.ends_with('\n') || body.ends_with('\r')) body.pop_back();
    const auto level = parse_log_level(body);
    if (!level) return plain(400, "the level must be debug, info, warning or error\n");
    if (!logger.set_level(*level)) return plain(501, "this process's log has no level\n");
    logger.info("Changed the log level", {{"level", body}});
    return shown({});
  };
  return {{"/debug/state", [state = std::move(state)](const std::string&) { return plain(200, state()); }},
          {"/debug/log-level", {shown, set}}};
}

}  // namespace reprise::runtime
