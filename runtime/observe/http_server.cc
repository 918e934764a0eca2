#include "runtime/observe/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <thread>
#include <utility>

namespace reprise::runtime {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

http::response<http::string_body> answer(const HttpRoutes& routes, const http::request<http::empty_body>& request) {
  http::response<http::string_body> response{http::status::ok, request.version()};
  response.keep_alive(request.keep_alive());
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.set("X-Content-Type-Options", "nosniff");
  const std::string_view target(request.target().data(), request.target().size());
  const std::size_t mark = target.find('?');
  const auto route = routes.find(target.substr(0, mark));
  if (request.method() != http::verb::get) {
    response.result(http::status::method_not_allowed);
  } else if (route == routes.end()) {
    response.result(http::status::not_found);
    response.body() = "not found\n";
  } else {
    HttpAnswer given =
        route->second(mark == std::string_view::npos ? std::string() : std::string(target.substr(mark + 1)));
    response.result(static_cast<unsigned>(given.status));
    response.set(http::field::content_type, given.content_type);
    response.body() = std::move(given.body);
  }
  response.prepare_payload();
  return response;
}

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const HttpRoutes& routes) : stream_(std::move(socket)), routes_(routes) {}

  void read() {
    request_ = {};
    stream_.expires_after(std::chrono::seconds(30));
    http::async_read(stream_, buffer_, request_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->write();
    });
  }

 private:
  void write() {
    response_ = answer(routes_, request_);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      if (self->response_.keep_alive()) return self->read();
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  const HttpRoutes& routes_;
  beast::flat_buffer buffer_{64U << 10U};
  http::request<http::empty_body> request_;
  http::response<http::string_body> response_;
};

class BeastServer final : public HttpServer {
 public:
  BeastServer(const tcp::endpoint& endpoint, HttpRoutes routes)
      : routes_(std::move(routes)), acceptor_(context_, endpoint), port_(acceptor_.local_endpoint().port()) {
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
      if (!error) std::make_shared<Session>(std::move(socket), routes_)->read();
      accept();
    });
  }

  HttpRoutes routes_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
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

}  // namespace

Result<std::unique_ptr<HttpServer>> serve_http(const std::string& address, HttpRoutes routes) {
  if (address.empty() || address == "0") return std::unique_ptr<HttpServer>();
  const auto endpoint = parse(address);
  if (!endpoint) {
    return fail(ErrorClass::Terminal, "address \"" + address + "\" is not like \":8080\" or \"127.0.0.1:8080\"");
  }
  try {
    return std::make_unique<BeastServer>(*endpoint, std::move(routes));
  } catch (const boost::system::system_error& error) {
    return fail(ErrorClass::Unavailable, "cannot listen on " + address + ": " + error.code().message());
  }
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

}  // namespace reprise::runtime
