// Prints the answer of `reprise-agent check`.
#pragma once

#include <string>
#include <vector>

#include "agent/check/find_checkpoints.h"

namespace reprise::agent {

// A row for each checkpoint; the reason comes last.
[[nodiscard]] std::string as_table(const std::vector<CheckedCheckpoint>& found);
// A list of objects with the keys path, step, format, bytes, time (RFC 3339), verdict, reason.
[[nodiscard]] std::string as_json(const std::vector<CheckedCheckpoint>& found);

}  // namespace reprise::agent
