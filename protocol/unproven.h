// Checkpoints that an agent puts aside because nothing proves that they have reached the storage, and what that
// explains.
// (docs/decisions/checkpoints/0108-expected-checkpoint.md)
#pragma once

#include <cstdint>
#include <optional>

namespace reprise::protocol {

// True when it is no loss that less than the expected step is resumed from: an older one is, and what was put aside
// reaches up to the expected one. A number that is missing, or that contradicts the others, explains nothing.
[[nodiscard]] constexpr bool was_put_aside(std::int64_t expected, std::optional<std::int64_t> resumed_from,
                                           std::optional<std::int64_t> unproven_step) {
  if (!resumed_from || !unproven_step || *resumed_from < 0) return false;
  return *resumed_from < expected && expected <= *unproven_step;
}

}  // namespace reprise::protocol
