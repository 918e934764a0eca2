// The agents' files on a volume, as paths from its root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/volumes/disk.h"

namespace reprise::simulator {

inline constexpr std::string_view kOwn = ".reprise";

using Parts = std::vector<std::string>;
[[nodiscard]] Parts parts_of(std::string_view path);
[[nodiscard]] std::optional<std::int64_t> whole(std::string_view text);

// .reprise/attempts/<n>/<file>
struct InAttempt {
  enum class Kind { Heartbeat, Record, ResumePoint, Told };
  Kind kind = Kind::ResumePoint;
  std::int64_t attempt = 0;
  int rank = 0;
};
[[nodiscard]] std::optional<InAttempt> in_attempt(const Parts& parts);

[[nodiscard]] bool is_attempts(const Parts& parts, std::size_t size);
[[nodiscard]] bool is_fence(const Parts& parts);
// True for places of checkpoints that do not count any more.
[[nodiscard]] bool is_aside(const Parts& parts, std::string_view place, std::size_t size);
// The checkpoint that is moved to that path.
[[nodiscard]] DiskAside aside_at(const Parts& target);

}  // namespace reprise::simulator
