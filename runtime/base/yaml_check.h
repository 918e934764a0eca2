// Rejects YAML text of others that could harm the reader: checked once, before anything is made of it.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/base/error.h"

namespace reprise::runtime {

// Far above what a manifest or a kubeconfig needs, far below what slows a program down.
struct YamlLimits {
  std::size_t bytes = 8 << 20;
  std::size_t values = 500'000;  // aliases followed; a long text counts once more for each 64 bytes
  std::size_t depth = 100;
};

// Invalid, "line 3, column 5: ...": not YAML, a key that a mapping holds twice or that is no plain text, nesting or
// aliases beyond the limits. `first_line` is the number of the first line of `text` in its file.
[[nodiscard]] Result<void> check_yaml(std::string_view text, int first_line = 1, const YamlLimits& limits = {});

}  // namespace reprise::runtime
