// When the next report may be tried, by how the last one went. Pure.
#pragma once

#include <chrono>

#include "agent/net/answer.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

class ReportPace {
 public:
  explicit ReportPace(std::chrono::milliseconds first_wait) : first_wait_(first_wait) {}

  [[nodiscard]] bool may_send(runtime::Instant now) const { return now >= next_; }
  // Taken: anything goes on, but where many report more slowly than usual, as the answer says. 429 and 503 name their
  // time. At most a minute of either is believed. Everything else is tried again after ever longer waits.
  void answered(const AnswerHead& answer, runtime::Instant now);

 private:
  std::chrono::milliseconds first_wait_;
  std::chrono::milliseconds wait_{0};
  runtime::Instant next_{};
};

}  // namespace reprise::agent
