// One watch: its place in the history of its kind.
#pragma once

#include <memory>

#include "simulator/api_server/store/store.h"
#include "simulator/api_server/wire/wire_request.h"

namespace reprise::simulator {

[[nodiscard]] WatchAnswer open_watch(const Store& store, const runtime::Clock& clock, const Kinds& kinds,
                                     const WireRequest& asked);

}  // namespace reprise::simulator
