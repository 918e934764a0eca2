// When the next report may be tried, by how the last one went. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::agent {

struct ReportAnswer {
  int status = 0;  // 0: there was none
  std::optional<std::chrono::seconds> retry_after;
};

// Of the beginning of an answer of HTTP/1.1, up to the empty line; nothing where it is none.
[[nodiscard]] std::optional<ReportAnswer> parse_report_answer(std::string_view head);

class ReportPace {
 public:
  explicit ReportPace(std::chrono::milliseconds first_wait) : first_wait_(first_wait) {}

  [[nodiscard]] bool may_send(runtime::Instant now) const { return now >= next_; }
  // Taken: anything goes on, but where many report more slowly than usual, as the answer says. 429 and 503 name their
  // time. At most a minute of either is believed. Everything else is tried again after ever longer waits.
  void answered(const ReportAnswer& answer, runtime::Instant now);

 private:
  std::chrono::milliseconds first_wait_;
  std::chrono::milliseconds wait_{0};
  runtime::Instant next_{};
};

}  // namespace reprise::agent
