// What to do between a stop request and the end of the trainer: pure, time is handed in.
//   asked:    wait for a newer durable checkpoint until grace - margin, then SIGTERM, then SIGKILL
//   unasked:  SIGTERM at once (the trainer saves in its handler), then SIGKILL
// margin = a fifth of the grace, at most 10 s; SIGKILL comes a quarter of the margin before the grace ends, so that the
// record is written before the kubelet's own SIGKILL.
#pragma once

#include <chrono>

#include "runtime/base/clock.h"

namespace reprise::agent {

class StopPlan {
 public:
  enum class Action { Wait, Terminate, Kill };

  StopPlan(runtime::Instant requested, std::chrono::milliseconds grace, bool asked);

  // The one thing to do now; each of Terminate and Kill is said once.
  [[nodiscard]] Action next(runtime::Instant now, bool saved);
  // When to ask again at the latest.
  [[nodiscard]] runtime::Instant wake_at() const;
  [[nodiscard]] runtime::Instant save_until() const { return save_until_; }
  // When the kubelet's patience ends.
  [[nodiscard]] runtime::Instant end() const { return end_; }

 private:
  enum class Phase { Saving, Ending, Killed };
  Phase phase_ = Phase::Saving;
  runtime::Instant save_until_;
  runtime::Instant kill_at_;
  runtime::Instant end_;
};

}  // namespace reprise::agent
