// The trainer's output, as it passes through the agent: looked at for progress, and its end kept for the record of a
// failure. From any thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/progress/output_lines.h"
#include "agent/core/progress/progress.h"
#include "agent/core/progress/progress_pattern.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

enum class OutputStream { Output, Error };

class TrainerOutput {
 public:
  using Tell = std::function<void(const ProgressNote& note)>;

  // Keeps the last lines, and looks for nothing.
  TrainerOutput() = default;
  TrainerOutput(ProgressPattern pattern, Tell tell) : pattern_(std::move(pattern)), tell_(std::move(tell)) {}

  void take(OutputStream stream, std::string_view bytes, runtime::Instant now);
  // Bytes, of both streams.
  [[nodiscard]] std::uint64_t printed() const;
  // The last lines: at most 50, and 2 KiB.
  [[nodiscard]] std::string last_lines() const;

 private:
  mutable std::mutex mutex_;
  std::optional<ProgressPattern> pattern_;
  Tell tell_;
  std::array<OutputLines, 2> lines_;
  OutputTail tail_;
  std::uint64_t printed_ = 0;
};

}  // namespace reprise::agent
