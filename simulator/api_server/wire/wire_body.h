// The bodies of requests.
#pragma once

#include <string>

#include "simulator/api_server/api_server.h"
#include "simulator/api_server/wire/wire_request.h"

namespace reprise::simulator {

// Any JSON. BadRequest.
[[nodiscard]] Answer<Value> parse_body(const WireRequest& asked);
// An object of the kind that the path names; events as the core group has them.
[[nodiscard]] Answer<Value> parse_object(const KindRules& rules, const WireRequest& asked);

// DeleteOptions with the texts that Removal looks at.
struct RemovalOptions {
  std::string uid, resource_version;
  Removal how;                    // views into the texts: bound by removal()
  bool asked_to_collect = false;  // orphanDependents: false

  [[nodiscard]] Removal removal() const;
};
[[nodiscard]] Answer<RemovalOptions> parse_removal(const WireRequest& asked, const Value& options);
// The whole body holds them; it may be empty.
[[nodiscard]] Answer<RemovalOptions> parse_removal(const WireRequest& asked);
// {"kind":"Status","status":"Success"}
[[nodiscard]] std::string success_status(const ResourceType& type, std::string_view name, std::string_view uid);
// The answer to a Binding or an Eviction.
[[nodiscard]] std::string created_status();

}  // namespace reprise::simulator
