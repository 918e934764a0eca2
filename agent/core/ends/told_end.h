// How far a trainer says it came, in the last that it printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/core/progress/progress_pattern.h"

namespace reprise::agent {

struct ToldEnd {
  std::int64_t step = 0, total_steps = 0;
  bool operator==(const ToldEnd&) const = default;
};

// The end that the last line with both numbers tells. A bar of one epoch, or of an evaluation, tells nothing of the
// training.
[[nodiscard]] std::optional<ToldEnd> told_at_end(std::string_view lines, const ProgressPattern& pattern);

}  // namespace reprise::agent
