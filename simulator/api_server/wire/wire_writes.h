// Requests of clients that change something.
#pragma once

#include "simulator/api_server/store/state.h"
#include "simulator/api_server/wire/wire_request.h"

namespace reprise::simulator {

// An object or a Status, with its HTTP status.
struct Written {
  int status = 200;
  std::string body;
};

// POST to a collection.
[[nodiscard]] Answer<Written> create_object(ServerState& state, const WireRequest& asked);
// PUT
[[nodiscard]] Answer<Written> replace_object(ServerState& state, const WireRequest& asked);
// PATCH
[[nodiscard]] Answer<Written> patch_object(ServerState& state, const WireRequest& asked);
// DELETE of one object or, without a name, of a collection.
[[nodiscard]] Answer<Written> delete_object(ServerState& state, const WireRequest& asked);
[[nodiscard]] Answer<Written> delete_collection(ServerState& state, const WireRequest& asked);
// POST to pods/binding and pods/eviction.
[[nodiscard]] Answer<Written> bind_pod(ServerState& state, const WireRequest& asked);
[[nodiscard]] Answer<Written> evict_pod(ServerState& state, const WireRequest& asked);

}  // namespace reprise::simulator
