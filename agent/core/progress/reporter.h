// Tells the operator now and then how this rank is doing. Nothing waits for it, and nothing rests on it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "agent/core/progress/live_report.h"
#include "agent/core/run/session.h"
#include "agent/core/run/worker.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// When to make the next report: each period, and sooner when there is news, but not more often than once a second.
class ReportSchedule {
 public:
  explicit ReportSchedule(std::chrono::milliseconds period) : period_(period) {}
  // True if it is time for this report, which is then taken for made.
  [[nodiscard]] bool due(const LiveReport& report, runtime::Instant now);
  [[nodiscard]] std::chrono::milliseconds shortest() const;

 private:
  struct Made {
    Activity activity = Activity::Restoring;
    std::optional<Checkpoint> checkpoint;
    runtime::Instant at;
  };
  std::chrono::milliseconds period_;
  std::optional<Made> last_;
};

// Makes `session.live` and reads the progress file into it. Nothing where no reports are made and nobody watches for
// hangs.
[[nodiscard]] std::unique_ptr<Worker> start_reporter(Session& session);

}  // namespace reprise::agent
