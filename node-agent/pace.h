// Decides when something that failed may be tried again: after ever longer waits, or as the server says. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime/base/clock.h"

namespace reprise::node_agent {

class Pace {
 public:
  Pace(runtime::Duration first, runtime::Duration longest) : first_(first), longest_(longest) {}

  [[nodiscard]] bool may_try(runtime::Instant now) const { return now >= next_; }
  void worked() {
    wait_ = {};
    next_ = {};
  }
  // `asked`: by the server; a minute at most is believed.
  void failed(runtime::Instant now, std::optional<std::chrono::seconds> asked = {}) {
    wait_ = std::clamp(wait_ * 2, first_, longest_);
    next_ = now + (asked ? std::min<runtime::Duration>(*asked, std::chrono::minutes(1)) : wait_);
  }

 private:
  runtime::Duration first_, longest_, wait_{0};
  runtime::Instant next_{};
};

}  // namespace reprise::node_agent
