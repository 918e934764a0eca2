// The routes of a server, and its answers.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/metrics/serving/access_guard.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::runtime::internal {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

struct Site {
  HttpRoutes routes;
  bool loopback_only = false;
  AccessGuard* guard = nullptr;  // asked about each request
  std::chrono::milliseconds handshake_limit{0}, review_limit{9'000};
  std::uint64_t body_limit = 1024;
  std::size_t connections_limit = 1'000;
};

[[nodiscard]] HttpAnswer plain(int status, std::string body);
[[nodiscard]] HttpAnswer route(const Site& site, const HttpRequest& request);
// The route that takes this request's post; null: route() answers it.
[[nodiscard]] const HttpRoute* posted(const Site& site, const HttpRequest& request);
// The answer of a guarded site.
[[nodiscard]] HttpAnswer guarded(const Site& site, const HttpRequest& request, Access access);
[[nodiscard]] HttpResponse respond(const HttpRequest& request, HttpAnswer given);

}  // namespace reprise::runtime::internal
