// YAML as JSON.
#pragma once

#include <string_view>

#include "runtime/base/error.h"
#include "simulator/json.h"

namespace reprise::simulator {

// The first document. Invalid when it cannot be read.
[[nodiscard]] runtime::Result<Value> read_yaml(std::string_view text);

}  // namespace reprise::simulator
