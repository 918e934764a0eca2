#include "agent/core/progress/trainer_output.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kLines = 50;
constexpr std::size_t kBytes = 2048;

}  // namespace

void TrainerOutput::take(OutputStream stream, std::string_view bytes, runtime::Instant now) {
  const std::lock_guard lock(mutex_);
  printed_ += bytes.size();
  tail_.take(bytes);
  if (!pattern_) return;
  lines_.at(static_cast<std::size_t>(stream)).take(bytes, now, [this](std::string_view line) {
    if (const auto note = pattern_->find(line)) tell_(*note);
  });
}

std::uint64_t TrainerOutput::printed() const {
  const std::lock_guard lock(mutex_);
  return printed_;
}

std::string TrainerOutput::last_lines() const {
  const std::lock_guard lock(mutex_);
  return tail_.text(kLines, kBytes);
}

}  // namespace reprise::agent
