// A trainer writes this into $REPRISE_PROGRESS_FILE: one JSON object {"step", "totalSteps", "percentage",
// "remainingSeconds"}, each of which may be missing or null.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "agent/core/progress/progress.h"

namespace reprise::agent {

inline constexpr std::size_t kMaxProgressFileBytes = std::size_t{16} << 10U;

struct ProgressFileText {
  ProgressNote note;    // without what cannot be used
  std::string problem;  // the parts that cannot be used; empty: none
};

[[nodiscard]] ProgressFileText parse_progress_file(std::string_view text);

// Tells a file that makes no sense from one that was read while it was being written.
class ProgressFileReader {
 public:
  // `text`: what is in the file now, if it has changed since the last call. What to tell people comes back: once.
  [[nodiscard]] std::string take(const std::optional<std::string>& text, Progress& progress, runtime::Instant now);

 private:
  std::string suspected_;
  bool told_ = false;
};

}  // namespace reprise::agent
