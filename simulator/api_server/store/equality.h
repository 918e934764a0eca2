// Compares two values.
#pragma once

#include "simulator/base/json.h"

namespace reprise::simulator {

// Like ==, but quick where members lie in the same order, as they do in versions of one object.
[[nodiscard]] bool equal(const Value& left, const Value& right);
[[nodiscard]] bool equal(const JsonObject& left, const JsonObject& right);

}  // namespace reprise::simulator
