// LiveState holds what is to be told of this rank right now: the phases of the agent, the watch and the trainer's own
// words come together here. From any thread.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "agent/core/progress/live_report.h"
#include "agent/core/progress/progress.h"
#include "agent/core/progress/progress_file.h"
#include "agent/core/run/identity.h"
#include "agent/core/watch/watch.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

class LiveState {
 public:
  LiveState(const Identity& self, runtime::Instant now);

  // Saving is no phase: training is, and what the watch has seen shows whether it saves. `message`: what a wait is for.
  void enter(Activity phase, const std::string& message, runtime::Instant now);
  void see(const CheckpointWatch::Seen& seen, runtime::Instant now);
  // Sets what the start of this attempt has settled.
  void resume_from(std::optional<std::int64_t> step);
  void put_aside(const Checkpoints& unproven);
  void take(ProgressSource source, const ProgressNote& note, runtime::Instant now);
  // Returns what to tell people (progress_file.h).
  [[nodiscard]] std::string take_file(const std::optional<std::string>& text, runtime::Instant now);

  [[nodiscard]] LiveReport at(runtime::Instant now) const;
  [[nodiscard]] Progress::Moves moves() const;

 private:
  [[nodiscard]] Activity activity() const;
  void mark_change(Activity before, runtime::Instant now);
  [[nodiscard]] runtime::Instant known_since(const Checkpoint& durable, runtime::Instant now);

  struct Save {
    std::string name;
    runtime::Instant first_seen;
  };
  struct Durable {
    LiveCheckpoint found;
    runtime::Instant since;
  };
  mutable std::mutex mutex_;
  LiveReport report_;  // the parts that do not change, and the message
  Activity phase_ = Activity::Restoring;
  runtime::Instant activity_since_;
  std::optional<Save> save_;
  std::optional<Durable> durable_;
  std::deque<std::pair<Checkpoint, runtime::Instant>> known_since_;  // the newest last, kRemembered at most
  Progress progress_;
  ProgressFileReader file_;
};

// Changes with each step and each checkpoint of a training. Null: nobody hears of its steps.
[[nodiscard]] std::string moves_of(const LiveState* live, const CheckpointWatch::Seen& seen);

}  // namespace reprise::agent
