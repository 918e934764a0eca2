// The wire face: maps each request to its meaning.
#include "simulator/api_server/schema/discovery.h"
#include "simulator/api_server/store/list_pages.h"
#include "simulator/api_server/store/state.h"
#include "simulator/api_server/store/watch_cursor.h"
#include "simulator/api_server/wire/wire_request.h"
#include "simulator/api_server/wire/wire_writes.h"

namespace reprise::simulator {
namespace {

using runtime::Method;

Answer<Written> read(const ServerState& state, const WireRequest& asked) {
  const KindRules& rules = state.kinds.rules(asked.resource);
  if (asked.route.name.empty()) {
    auto listed = list_text(state.store, rules, asked);
    if (!listed) return reject(listed.error());
    return Written{200, *std::move(listed)};
  }
  const bool status = asked.route.subresource == "status" && rules.type().status_subresource;
  if (!asked.route.subresource.empty() && !status) return reject(no_such_path());
  const VersionPtr found = state.store.get(asked.resource, asked.key());
  if (!found) return reject(not_found(rules.type(), asked.route.name));
  Written written;
  append(written.body, *found, asked.shape);
  return written;
}

Answer<Written> post(ServerState& state, const WireRequest& asked) {
  if (asked.route.name.empty()) return create_object(state, asked);
  const ResourceType& type = state.kinds.type(asked.resource);
  if (type.group.empty() && type.plural == "pods") {
    if (asked.route.subresource == "binding") return bind_pod(state, asked);
    if (asked.route.subresource == "eviction") return evict_pod(state, asked);
  }
  return reject(asked.route.subresource.empty() ? method_not_allowed() : no_such_path());
}

Answer<Written> carry_out(ServerState& state, const WireRequest& asked) {
  const bool named = !asked.route.name.empty();
  switch (asked.request.method) {
    case Method::Get:
      return read(state, asked);
    case Method::Post:
      return post(state, asked);
    case Method::Put:
      if (!named) break;
      return replace_object(state, asked);
    case Method::Patch:
      if (!named) break;
      return patch_object(state, asked);
    case Method::Delete:
      return named ? delete_object(state, asked) : delete_collection(state, asked);
  }
  const bool custom = state.kinds.rules(asked.resource).is_custom();
  return reject(custom ? bad_request("name must be provided") : method_not_allowed());
}

}  // namespace

runtime::Response ApiServer::handle(const runtime::Request& request) {
  constexpr std::size_t body_limit = 3UL * 1024UL * 1024UL;
  if (request.body.size() > body_limit) {
    return response_of({.code = 413,
                        .reason = "RequestEntityTooLarge",
                        .message = "Request entity too large: limit is " + std::to_string(body_limit)});
  }
  if (auto found = discovery(state_->kinds, request)) return *std::move(found);
  const auto asked = read_request(state_->kinds, request);
  if (!asked) return response_of(asked.error());
  auto done = carry_out(*state_, *asked);
  if (!done) return response_of(done.error());
  return json_response(done->status, std::move(done->body));
}

bool ApiServer::is_watch(const runtime::Request& request) {
  return request.method == Method::Get && request.path_and_query.find("watch=") != std::string::npos &&
         is_set(parse_query(request.path_and_query), "watch");
}

WatchAnswer ApiServer::watch(const runtime::Request& request) {
  const auto asked = read_request(state_->kinds, request);
  if (!asked) {
    return {.status = asked.error().code, .rejection = response_of(asked.error()).body, .cursor = nullptr};
  }
  return open_watch(state_->store, state_->clock, state_->kinds, *asked);
}

}  // namespace reprise::simulator
