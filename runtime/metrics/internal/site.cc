#include "runtime/metrics/internal/site.h"

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <string_view>
#include <utility>

namespace reprise::runtime::internal {
namespace {

namespace http = boost::beast::http;

bool names_loopback(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) host = host.substr(0, colon);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace

HttpAnswer plain(int status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

HttpAnswer route(const Site& site, const HttpRequest& request) {
  const auto host = request[http::field::host];
  if (site.loopback_only && !names_loopback({host.data(), host.size()})) return plain(403, "not this host\n");
  const std::string_view target(request.target().data(), request.target().size());
  const std::size_t mark = target.find('?');
  const auto found = site.routes.find(target.substr(0, mark));
  if (found == site.routes.end()) return plain(404, "not found\n");
  const HttpRoute& known = found->second;
  if (request.method() == http::verb::get || request.method() == http::verb::head) {
    if (!known.get) return plain(405, "method not allowed\n");
    return known.get(mark == std::string_view::npos ? std::string() : std::string(target.substr(mark + 1)));
  }
  if (request.method() == http::verb::put && known.put) return known.put(request.body());
  return plain(405, "method not allowed\n");
}

const HttpRoute* posted(const Site& site, const HttpRequest& request) {
  if (request.method() != http::verb::post) return nullptr;
  const auto found = site.routes.find(std::string_view(request.target().data(), request.target().size()));
  return found == site.routes.end() || !found->second.post ? nullptr : &found->second;
}

HttpAnswer guarded(const Site& site, const HttpRequest& request, Access access) {
  switch (access) {
    case Access::Pass:
      return route(site, request);
    case Access::Unauthorized:
      return plain(401, "Unauthorized\n");
    case Access::Forbidden:
      return plain(403, "Forbidden\n");
    case Access::Failed:
    case Access::Review:
      break;
  }
  return plain(500, "the API server could not be asked whether this is allowed\n");
}

HttpResponse respond(const HttpRequest& request, HttpAnswer given) {
  HttpResponse response{static_cast<http::status>(given.status), request.version()};
  response.keep_alive(request.keep_alive());
  response.set(http::field::content_type, given.content_type);
  response.set("X-Content-Type-Options", "nosniff");
  if (given.retry_after_seconds) response.set(http::field::retry_after, std::to_string(*given.retry_after_seconds));
  if (given.status == 401) response.set(http::field::www_authenticate, "Bearer");
  response.body() = std::move(given.body);
  response.prepare_payload();
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

}  // namespace reprise::runtime::internal
