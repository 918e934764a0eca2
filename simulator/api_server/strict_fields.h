// Strict field validation of an object that a CustomResourceDefinition describes, as `kubectl apply` asks for it: what
// the server would drop in silence is an error, too.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "simulator/api_server/rejection.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// Whether the CEL rules of the definition are looked at, too.
enum class CelRules { LeftOut, Checked };

// Every field that is not known, has a wrong type or a value that is not allowed, or is missing; empty: none.
// Invalid: the definition.
[[nodiscard]] runtime::Result<std::vector<Cause>> strict_causes(std::string_view crd_yaml, Value object,
                                                                CelRules rules = CelRules::LeftOut);

}  // namespace reprise::simulator
