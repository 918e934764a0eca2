// How far the trainer is, as it says itself: in its progress file, by a status protocol and in what it prints. Pure:
// time is handed in. What is not said is computed from the steps: percentage, steps per second, seconds left.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/base/clock.h"

namespace reprise::agent {

struct ProgressNote {
  std::optional<std::int64_t> step, total_steps;  // from 0; from 1
  std::optional<std::int32_t> percentage;         // 0 .. 100
  std::optional<std::int64_t> remaining_seconds;
  std::optional<double> steps_per_second;
  bool of_other_work = false;  // progress of an evaluation, say: it shows that the trainer goes on, and not how far it
                               // is
  bool of_one_epoch = false;   // by the bar of one: it counts batches, and whatever else tells a step knows better
  [[nodiscard]] bool says_nothing() const { return !step && !percentage && !remaining_seconds; }
  bool operator==(const ProgressNote&) const = default;
};

// Steps per second, smoothed over about a minute.
class Speed {
 public:
  void take(std::int64_t step, runtime::Instant now);
  [[nodiscard]] std::optional<double> steps_per_second() const { return rate_; }

 private:
  struct Sample {
    std::int64_t step = 0;
    runtime::Instant at;
  };
  std::optional<Sample> last_;
  std::optional<double> rate_;
};

// The first source in this order wins.
enum class ProgressSource { File, Status, Output };

class Progress {
 public:
  void take(ProgressSource source, const ProgressNote& note, runtime::Instant now);

  struct State {
    ProgressNote note;
    std::chrono::milliseconds age{};  // time since it was said
    // Time since the trainer was first known to have passed a step: the step where it begins says nothing, the next one
    // does.
    std::optional<std::chrono::milliseconds> trained = {};
  };
  // Empty where nothing was ever said. A source that has been silent for ten minutes longer than another wins no more.
  [[nodiscard]] std::optional<State> at(runtime::Instant now) const;

  // Signs that the trainer goes on, whatever it counts.
  struct Moves {
    std::uint64_t count = 0;           // how often another step or percentage was said than before by that source
    std::optional<std::int64_t> step;  // the last that was said
    bool stated = false;               // a step, in the progress file or by the status protocol
  };
  [[nodiscard]] const Moves& moves() const { return moves_; }

 private:
  struct Said {
    ProgressNote note;
    runtime::Instant at;
    Speed speed;
  };
  [[nodiscard]] static bool passes_a_step(const std::optional<Said>& before, const ProgressNote& note);
  [[nodiscard]] static ProgressNote completed(const Said& said);
  void count_move(ProgressSource source, const ProgressNote& note);
  std::array<std::optional<Said>, 3> said_;          // by source
  std::array<std::optional<ProgressNote>, 3> last_;  // likewise, also what does not become `said_`
  Moves moves_;
  std::optional<runtime::Instant> trains_since_;
};

}  // namespace reprise::agent
