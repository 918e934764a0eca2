// Tells if this agent's heartbeats still come onto the volume: when they do not, somebody else takes it for dead before
// long (writers.h), and its trainer has to have ended by then. Pure: time is handed in.
#pragma once

#include <chrono>
#include <optional>

#include "runtime/base/clock.h"

namespace reprise::agent {

// A writer counts as dead after two and a half periods of its own or of whoever looks, the longer: no earlier.
inline constexpr int kStillHalfPeriods = 5;
// A heart has stopped after one and three quarters. The rest is for the end of the trainer.
inline constexpr int kStoppedQuarterPeriods = 7;

class OwnHeart {
 public:
  explicit OwnHeart(std::chrono::milliseconds period) : period_(period) {}

  // A heartbeat was begun at that time, and the volume has taken it or refused it. One that has not come back says
  // nothing: a volume that does not answer answers nobody.
  void beat(runtime::Instant begun, bool placed);
  // Never before the first one was taken.
  [[nodiscard]] bool has_stopped() const;
  // After one that was refused: how long until the next one is tried.
  [[nodiscard]] std::chrono::milliseconds pause() const;

 private:
  std::chrono::milliseconds period_;
  std::optional<runtime::Instant> placed_, refused_;  // the last one; refused: since the last that was taken
};

}  // namespace reprise::agent
