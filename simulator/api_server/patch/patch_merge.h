// JSON merge patch (RFC 7386).
#pragma once

#include "simulator/base/json.h"

namespace reprise::simulator {

void apply_merge_patch(Value& target, const Value& patch);

}  // namespace reprise::simulator
