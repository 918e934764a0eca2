// Some attempts in a row, by their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace reprise::agent {

struct AttemptSpan {
  std::int32_t first = 0, last = 0;
  bool operator==(const AttemptSpan&) const = default;
};

// Spans in order and apart; empty: every attempt there is.
using AttemptSpans = std::optional<std::vector<AttemptSpan>>;

}  // namespace reprise::agent
