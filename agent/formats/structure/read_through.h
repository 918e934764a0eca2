// All bytes of a file of a checkpoint, or of a part of one, in order and a MiB at a time.
#pragma once

#include <algorithm>
#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Calls `take` with each piece. Incomplete when there is less than the file had when it was looked at.
[[nodiscard]] Flawed read_through(const CheckedFile& file, auto&& take) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20U;
  for (std::uint64_t at = 0; at < file.size;) {
    const auto bytes = file.bytes(at, std::min(kAtOnce, file.size - at));
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) return incomplete(file.name + ": became shorter while it was read");
    take(std::string_view(*bytes));
    at += bytes->size();
  }
  return std::nullopt;
}

}  // namespace reprise::agent
