// Events as events.k8s.io/v1 wants them; the core group takes older ones as they are.
#pragma once

#include <vector>

#include "simulator/api_server/wire/rejection.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// Checks an event in the core group's form, with the field names of the new group.
[[nodiscard]] std::vector<Cause> wrong_event(const Value& event);

}  // namespace reprise::simulator
