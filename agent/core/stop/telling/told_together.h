// The ranks of a gang are told to stop at one moment. Their pods are told 0.1 to 1 s apart, and a trainer that leaves
// its loop before the others hangs in a collective of theirs. So each agent says on the volume that its pod was told,
// and the moment is that in which the last one has said so: an event that all see, and nobody's clock (decision 0033).
//
// .reprise/attempts/<n>/<index>.told is empty: a volume that is full takes it too.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/run/worker.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct Session;

// The ranks that have begun, have not ended and have not been told: pure, over the names in the directory of an
// attempt.
[[nodiscard]] std::vector<std::int32_t> not_told_yet(const std::vector<std::string>& names);

// The longest that a rank waits for the others: a tenth of the grace, at most three seconds.
[[nodiscard]] std::chrono::milliseconds longest_gathering(std::chrono::milliseconds grace);

// Takes back what an earlier pod of this rank has said. Before the trainer starts.
void take_back_told(const Session& session);

class ToldTogether {
 public:
  // Says that this rank was told, and looks for the others. Null where there is nobody to wait for.
  [[nodiscard]] static std::unique_ptr<ToldTogether> begin(Session& session);

  // All have said so, or the time is over.
  [[nodiscard]] bool over(runtime::Instant now) const { return state_->all || now >= until_; }
  [[nodiscard]] runtime::Instant until() const { return until_; }
  // A line for people about whom it did not wait for any longer; empty where all were told.
  [[nodiscard]] std::string describe() const;
  // Looks no more.
  void end() { state_->over = true; }
  [[nodiscard]] bool finish(std::chrono::milliseconds timeout) { return worker_->finish(timeout); }

 private:
  struct State {
    std::atomic<bool> all{false}, over{false};
    std::mutex mutex;
    std::vector<std::int32_t> missing;
  };
  ToldTogether(std::shared_ptr<State> state, runtime::Instant until) : state_(std::move(state)), until_(until) {}

  std::shared_ptr<State> state_;
  runtime::Instant until_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace reprise::agent
