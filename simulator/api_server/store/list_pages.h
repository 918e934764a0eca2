// Lists: whole or page by page, as they are or as they were.
#pragma once

#include "simulator/api_server/store/store.h"
#include "simulator/api_server/wire/wire_request.h"

namespace reprise::simulator {

[[nodiscard]] Answer<std::string> list_text(const Store& store, const KindRules& rules, const WireRequest& asked);

}  // namespace reprise::simulator
