// A client's request, parsed: the kind, the object, and the shape of the answer.
#pragma once

#include <string>
#include <string_view>

#include "runtime/http/transport.h"
#include "simulator/api_server/schema/kinds.h"
#include "simulator/api_server/schema/shape.h"
#include "simulator/api_server/wire/wire_path.h"

namespace reprise::simulator {

struct WireRequest {
  const runtime::Request& request;
  Route route;
  Query query;
  ResourceId resource;
  Shape shape;

  [[nodiscard]] std::string key() const;
};

// Rejection without reason: a path that nobody serves (plain text "404 page not found").
[[nodiscard]] Answer<WireRequest> read_request(const Kinds& kinds, const runtime::Request& request);
[[nodiscard]] std::string_view header(const runtime::Request& request, std::string_view name);

[[nodiscard]] runtime::Response json_response(int status, std::string body);
[[nodiscard]] runtime::Response response_of(const Rejection& rejection);

// A resourceVersion as clients send it. 0 for "" and "0".
[[nodiscard]] Answer<std::uint64_t> read_version(std::string_view text);

}  // namespace reprise::simulator
