// A witness of the processes below the agent that compute now: it remembers what /proc counts. A launcher computes
// while it imports, starts helpers that end at once, and waits from then on. So only the last moments count, and of a
// process that has children only the time since the first of them that has lasted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agent/core/stop/processes.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// One thread's.
class Witness {
 public:
  // The same processes, each with its burn where it has been known for three seconds.
  [[nodiscard]] std::vector<Process> take(std::vector<Process> processes, runtime::Instant now);
  // When to take them again: each second at first, then every ten; less often where they are many.
  [[nodiscard]] runtime::Instant look_at() const { return look_at_; }

 private:
  struct Sample {
    runtime::Instant at;
    std::chrono::milliseconds cpu;
  };
  struct Known {
    std::deque<Sample> samples;                   // the first is the one that counts
    runtime::Instant first{};                     // when it was seen first
    std::optional<runtime::Instant> first_child;  // when the first child that has lasted was seen first
  };
  using Identity = std::pair<pid_t, std::uint64_t>;  // with its start: pids come again

  void note_children(const std::vector<Process>& processes, runtime::Instant now);

  std::map<Identity, Known> known_;
  runtime::Instant look_at_{};
  std::optional<runtime::Instant> began_;
};

}  // namespace reprise::agent
