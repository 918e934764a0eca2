// YAML as JSON.
#pragma once

#include <string_view>

#include "runtime/base/error.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// The first document. Invalid with the line, of which `first_line` is the number of the text's first: it cannot be
// read, has a key twice, or holds more than any manifest (runtime/base/yaml_check.h).
[[nodiscard]] runtime::Result<Value> read_yaml(std::string_view text, int first_line = 1);

}  // namespace reprise::simulator
