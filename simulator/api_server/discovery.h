// The documents by which a client learns what is served: /apis, /apis/<group>/<version> and /api/v1.
#pragma once

#include <optional>

#include "runtime/http/transport.h"
#include "simulator/api_server/kinds.h"

namespace reprise::simulator {

// Nothing: the request is for something else, or for a group that nothing is served of.
[[nodiscard]] std::optional<runtime::Response> discovery(const Kinds& kinds, const runtime::Request& request);

}  // namespace reprise::simulator
