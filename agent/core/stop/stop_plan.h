// Plans the time between a stop request and the end of the trainer: pure, time is handed in. Terminate's targets are in
// stop_targets.h.
//   with a checkpoint requested: wait for a newer durable one until grace - margin, then go on as without
//   without one: signal the trainer at once (it saves in its handler); when all who were signalled have ended and the
//             trainer has not, signal the trainer itself; its process group when it has, or at grace - margin (at
//             grace - half the margin, where it was signalled only then); then SIGKILL
// margin = a fifth of the grace, at most 10 s; SIGKILL comes a quarter of the margin before the grace ends, so that the
// record is written before the kubelet's own SIGKILL.
#pragma once

#include <chrono>
#include <optional>

#include "runtime/base/clock.h"

namespace reprise::agent {

class StopPlan {
 public:
  enum class Action { Wait, Terminate, TerminateTrainer, TerminateGroup, Kill };

  struct Seen {
    bool saved = false;            // a newer checkpoint than before the request is durable
    bool signalled_ended = false;  // nobody whom Terminate or TerminateTrainer has reached runs
    bool trainer_ended = false;    // the agent's child
    bool learns_late = false;      // ... is a launcher that is shown the ends of its ranks when all have ended
  };

  StopPlan(runtime::Instant requested, std::chrono::milliseconds grace, bool checkpoint_requested);

  // The one thing to do now; each is said once.
  [[nodiscard]] Action next(runtime::Instant now, const Seen& seen);
  // When to ask again at the latest.
  [[nodiscard]] runtime::Instant wake_at() const;
  [[nodiscard]] runtime::Instant save_until() const { return save_until_; }

 private:
  enum class Phase { Saving, Signalled, TrainerSignalled, GroupSignalled, Killed };
  Action signal_further(runtime::Instant now, const Seen& seen);

  Phase phase_ = Phase::Saving;
  runtime::Instant save_until_;
  runtime::Instant group_at_;
  runtime::Instant half_margin_;
  runtime::Instant kill_at_;
  runtime::Instant end_;
  std::optional<runtime::Instant> trainer_at_;  // once all who were signalled have ended
};

}  // namespace reprise::agent
