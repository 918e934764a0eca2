// The documents by which a client learns the served kinds: /apis, /apis/<group>/<version> and /api/v1.
#pragma once

#include <optional>

#include "runtime/http/transport.h"
#include "simulator/api_server/schema/kinds.h"

namespace reprise::simulator {

// Empty: the request is for something else, or for a group without served kinds.
[[nodiscard]] std::optional<runtime::Response> discovery(const Kinds& kinds, const runtime::Request& request);

}  // namespace reprise::simulator
