// State that the phases of one `reprise-agent run` share.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/core/ends/end_timeouts.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/core/progress/live_state.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/host.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// Findings of the heartbeat writer; written by its thread.
class HeartbeatState {
 public:
  void set(HeartbeatWriter::Outcome outcome, bool has_stopped) {
    const std::lock_guard lock(mutex_);
    if (fenced_.empty()) fenced_ = std::move(outcome.fenced);
    if (has_stopped && stopped_.empty()) stopped_ = outcome.problem;
    problem_ = std::move(outcome.problem);
    placed_ = outcome.placed;
    fence_seen_ = outcome.fence_seen;
    raised_again_ = raised_again_ || outcome.raised_again;
  }
  // True if this agent may still write, and have others write: nobody else has the volume, or may take it soon.
  [[nodiscard]] bool may_write() const {
    const std::lock_guard lock(mutex_);
    return fenced_.empty() && stopped_.empty();
  }
  // Says why the heartbeats come onto the volume no more; empty while they do.
  [[nodiscard]] std::string stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }
  // True if the last heartbeat has come there.
  [[nodiscard]] bool placed() const {
    const std::lock_guard lock(mutex_);
    return placed_;
  }
  // True if with the last heartbeat it was known who owns the volume.
  [[nodiscard]] bool fence_seen() const {
    const std::lock_guard lock(mutex_);
    return fence_seen_;
  }
  // True if the fence had to be raised again since this was last asked.
  [[nodiscard]] bool take_raised_again() {
    const std::lock_guard lock(mutex_);
    return std::exchange(raised_again_, false);
  }
  [[nodiscard]] std::string fenced() const {
    const std::lock_guard lock(mutex_);
    return fenced_;
  }
  [[nodiscard]] std::string problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  mutable std::mutex mutex_;
  std::string fenced_;
  std::string stopped_;
  std::string problem_;
  bool placed_ = false;
  bool fence_seen_ = false;
  bool raised_again_ = false;
};

class SharedSums;   // sums/shared_sums.h
class SharedSyncs;  // proofs/shared_syncs.h

struct Session {
  Environment env;
  Identity self;
  std::shared_ptr<const Volume> volume;
  Host& host;
  std::shared_ptr<const Signals> signals = host.signals();
  const runtime::Clock& clock = host.clock();
  std::shared_ptr<HeartbeatState> heartbeat = std::make_shared<HeartbeatState>();
  std::shared_ptr<SharedSums> sums = nullptr;          // sums that this agent's looks share
  std::shared_ptr<SharedSyncs> syncs = nullptr;        // the same, while the trainer runs; none without other ranks
  std::unique_ptr<Worker> heartbeat_worker = nullptr;  // null before the fence is raised
  std::unique_ptr<Worker> probing = nullptr;           // finds out what the volume allows; null before the fence is
                                                       // raised
  bool all_ended = true;                               // false: a thread hangs in the storage and was left behind
  std::optional<runtime::Instant> stop_requested = std::nullopt;
  // Another pod was this rank in this attempt, and nobody saw that all which its trainer wrote is there. Until the
  // volume has said it nobody knows.
  bool follows_unsynced_end = true;
  std::shared_ptr<LiveState> live = nullptr;  // null where no reports are made and nobody watches for hangs
  std::string output{};  // the last that a trainer printed that failed: for the termination message alone

  // The time that the end of this agent may take.
  [[nodiscard]] TimeLeft time_left() const {
    if (!stop_requested) return {.stop_requested = false, .grace = env.grace};
    const auto left = *stop_requested + env.grace - clock.steady();
    return {.stop_requested = true, .grace = std::chrono::duration_cast<std::chrono::milliseconds>(left)};
  }

  void enter(Activity phase, const std::string& message = {}) const {
    if (live) live->enter(phase, message, clock.steady());
  }

  // Runs `work` without waiting for it longer than `timeout`; whether it ended.
  bool bounded(std::chrono::milliseconds timeout, std::function<void()> work) {
    const bool ended = host.threads().run_bounded(timeout, std::move(work));
    all_ended = all_ended && ended;
    return ended;
  }
};

}  // namespace reprise::agent
