#include "simulator/api_server/wire/wire_request.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "simulator/api_server/store/store.h"

namespace reprise::simulator {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Built-in groups answer for kinds that they lack; requests for other groups find nobody.
bool is_built_in(std::string_view group) {
  constexpr std::string_view groups[] = {
      "", "apps", "batch", "coordination.k8s.io", "events.k8s.io", "policy", "scheduling.k8s.io", "storage.k8s.io"};
  return std::ranges::find(groups, group) != std::end(groups);
}

Rejection page_not_found() {
  return {.code = 404, .message = "404 page not found\n"};
}

}  // namespace

std::string WireRequest::key() const {
  return key_of(route.namespace_, route.name);
}

std::string_view header(const runtime::Request& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (std::ranges::equal(key, name, {}, lower, lower)) return value;
  }
  return {};
}

Answer<WireRequest> read_request(const Kinds& kinds, const runtime::Request& request) {
  auto route = parse_route(request.path_and_query);
  if (!route) return reject(page_not_found());
  const auto resource = kinds.find(route->group, route->plural);
  if (!resource || !kinds.served(*resource))
    return reject(is_built_in(route->group) ? no_such_path() : page_not_found());
  const ResourceType& type = kinds.type(*resource);
  const bool events_group = route->group == "events.k8s.io";
  if (route->version != type.version) return reject(page_not_found());
  const bool misplaced =
      type.namespaced ? route->namespace_.empty() && !route->name.empty() : !route->namespace_.empty();
  if (misplaced) return reject(is_built_in(route->group) ? no_such_path() : page_not_found());
  const bool metadata_only = header(request, "Accept").find("as=PartialObjectMetadata") != std::string_view::npos;
  return WireRequest{request, *std::move(route), parse_query(request.path_and_query), *resource,
                     Shape{.metadata_only = metadata_only, .events_group = events_group}};
}

runtime::Response json_response(int status, std::string body) {
  return {.status = status, .body = std::move(body), .retry_after = {}, .content_type = "application/json"};
}

runtime::Response response_of(const Rejection& rejection) {
  runtime::Response response;
  response.status = rejection.code;
  if (rejection.reason.empty() && rejection.code == 404) {
    response.body = rejection.message;
    response.content_type = "text/plain; charset=utf-8";
    return response;
  }
  response.body = to_status(rejection);
  response.content_type = "application/json";
  if (rejection.retry_after_seconds > 0) response.retry_after = std::chrono::seconds(rejection.retry_after_seconds);
  return response;
}

Answer<std::uint64_t> read_version(std::string_view text) {
  std::uint64_t version = 0;
  if (text.empty()) return version;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return reject({.code = 400,
                   .reason = "BadRequest",
                   .message = "invalid resource version: resourceVersion: Invalid value: \"" + std::string(text) +
                              "\": strconv.ParseUint: parsing \"" + std::string(text) + "\": invalid syntax"});
  }
  return version;
}

}  // namespace reprise::simulator
