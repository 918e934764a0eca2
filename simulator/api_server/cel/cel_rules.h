// The rules (x-kubernetes-validations) of a schema, on a new object.
#pragma once

#include <vector>

#include "simulator/api_server/wire/rejection.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// Every rule that does not hold. `schema` is an openAPIV3Schema as JSON; defaults are in `object` already. Rules about
// a change (oldSelf) say nothing about a new object. A rule that cannot be evaluated does not hold, as at an API
// server.
[[nodiscard]] std::vector<Cause> rule_causes(const Value& schema, const Value& object);

}  // namespace reprise::simulator
