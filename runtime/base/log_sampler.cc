#include "runtime/base/log_sampler.h"

#include <utility>

namespace reprise::runtime {

bool SamplingLogger::passes(std::string_view message, std::uint64_t& missed) {
  const Instant now = clock_.steady();
  const std::lock_guard lock(mutex_);
  auto found = windows_.find(message);
  if (found == windows_.end()) {
    if (windows_.size() >= sampling_.most_messages) {
      std::erase_if(windows_, [&](const auto& entry) { return now - entry.second.begun >= sampling_.window; });
    }
    if (windows_.size() >= sampling_.most_messages) windows_.clear();
    found = windows_.emplace(std::string(message), Window{now}).first;
  }
  Window& window = found->second;
  if (now - window.begun >= sampling_.window) missed = std::exchange(window, Window{now}).left_out;
  const std::uint64_t line = ++window.lines;
  if (line <= sampling_.first || (line - sampling_.first) % sampling_.then_every == 0) return true;
  ++window.left_out;
  ++left_out_;
  return false;
}

void SamplingLogger::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!enabled(level)) return;
  std::uint64_t missed = 0;
  const bool passed = passes(message, missed);
  if (missed > 0) {
    inner_->log(level, "Left out lines that repeat",
                {{"line", std::string(message)}, {"count", std::to_string(missed)}});
  }
  if (passed) inner_->log(level, message, fields);
}

}  // namespace reprise::runtime
