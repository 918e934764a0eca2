// The storage of a scenario's cluster.
#pragma once

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

// "zonal" (one zone, from the first consumer) and "shared".
[[nodiscard]] runtime::Result<void> create_storage_classes(ApiServer& api);

}  // namespace reprise::simulator
