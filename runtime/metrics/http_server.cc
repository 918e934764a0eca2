#include "runtime/metrics/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <optional>
#include <thread>
#include <utility>

namespace reprise::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::uint64_t body_limit = 1024;

struct Site {
  HttpRoutes routes;
  bool loopback_only = false;
};

HttpAnswer plain(int status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

bool names_loopback(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) host = host.substr(0, colon);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

HttpAnswer route(const Site& site, const Request& request) {
  const auto host = request[http::field::host];
  if (site.loopback_only && !names_loopback({host.data(), host.size()})) return plain(403, "not this host\n");
  const std::string_view target(request.target().data(), request.target().size());
  const std::size_t mark = target.find('?');
  const auto found = site.routes.find(target.substr(0, mark));
  if (found == site.routes.end()) return plain(404, "not found\n");
  const HttpRoute& known = found->second;
  if (request.method() == http::verb::get || request.method() == http::verb::head) {
    return known.get(mark == std::string_view::npos ? std::string() : std::string(target.substr(mark + 1)));
  }
  if (request.method() == http::verb::put && known.put) return known.put(request.body());
  return plain(405, "method not allowed\n");
}

Response answer(const Site& site, const Request& request) {
  HttpAnswer given = route(site, request);
  Response response{static_cast<http::status>(given.status), request.version()};
  response.keep_alive(request.keep_alive());
  response.set(http::field::content_type, given.content_type);
  response.set("X-Content-Type-Options", "nosniff");
  response.body() = std::move(given.body);
  response.prepare_payload();
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const Site& site) : stream_(std::move(socket)), site_(site) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(body_limit);
    stream_.expires_after(std::chrono::seconds(30));
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->write();
    });
  }

 private:
  void write() {
    response_ = answer(site_, parser_->get());
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive()) return self->read();
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  const Site& site_;
  beast::flat_buffer buffer_{64U << 10U};
  std::optional<http::request_parser<http::string_body>> parser_;
  Response response_;
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(const tcp::endpoint& endpoint, Site site)
      : site_(std::move(site)), acceptor_(context_, endpoint), port_(acceptor_.local_endpoint().port()) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~BeastServer() override {
    context_.stop();
    thread_.join();
  }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;
  [[nodiscard]] std::uint16_t port() const override { return port_; }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      std::make_shared<Session>(std::move(socket), site_)->read();
      accept();
    });
  }
  // Without descriptors the connection stays in the queue, and asking for it again would fail again at once.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](beast::error_code error) {
      if (!error) accept();
    });
  }

  Site site_;
  asio::io_context context_{1};
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
  if (host.empty()) return tcp::endpoint(tcp::v4(), port);
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

Result<std::unique_ptr<HttpServer>> serve(const std::string& address, Site site) {
  if (address.empty() || address == "0") return std::unique_ptr<HttpServer>();
  const auto endpoint = parse(address);
  if (!endpoint) {
    return fail(ErrorClass::Terminal, "address \"" + address + "\" is not like \":8080\" or \"127.0.0.1:8080\"");
  }
  if (site.loopback_only && !endpoint->address().is_loopback()) {
    return fail(ErrorClass::Terminal, "address \"" + address + "\" is not a loopback address like \"127.0.0.1:8082\"");
  }
  try {
    return std::make_unique<BeastServer>(*endpoint, std::move(site));
  } catch (const boost::system::system_error& error) {
    return fail(ErrorClass::Unavailable, "cannot listen on " + address + ": " + error.code().message());
  }
}

}  // namespace

Result<std::unique_ptr<HttpServer>> serve_http(const std::string& address, HttpRoutes routes) {
  return serve(address, {std::move(routes), false});
}

Result<std::unique_ptr<HttpServer>> serve_loopback(const std::string& address, HttpRoutes routes) {
  return serve(address, {std::move(routes), true});
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
