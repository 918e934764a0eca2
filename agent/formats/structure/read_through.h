// All bytes of a file of a checkpoint, or of a part of one, in order and a MiB at a time.
#pragma once

#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Calls `take` with each piece. Incomplete when there is less than the file had when it was looked at.
[[nodiscard]] Flawed read_through(const CheckedFile& file, auto&& take) {
  const auto count =
      file.files.read_through(file.path, file.begin, file.size, [&](std::string_view bytes) { take(bytes); });
  if (!count) return std::unexpected(count.error());
  if (*count < file.size) return incomplete(file.name + ": became shorter while it was read");
  return std::nullopt;
}

}  // namespace reprise::agent
