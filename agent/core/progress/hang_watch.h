// Tells if a running trainer hangs: it gives no sign of life for spec.progressTimeoutSeconds. Pure: the signs that were
// seen, and their times, are handed in.
//   another step than the last that it told, a newer checkpoint, a save that grows: all show that it goes on
//   a gang that is not complete yet waits for its ranks
//   what it prints as well, until it has told of a step: before that nobody knows how it tells them
// A look at the volume is as old as its beginning, and on a slow volume it takes minutes: a look that has begun when
// the time was up has to end first, but for one that does not end (kLongestLook).
// A trainer that has told of no step is left alone for two of its save periods: only checkpoints show how far it is. Of
// a gang the rank that looks after the volume judges, because all wait for each other and the others often print
// nothing; they judge where their trainers say their steps to the agent itself, in the progress file or by the status
// protocol. How busy its processors are says nothing: a collective that waits for ever spins.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/formats/checkpoint.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// A sign of life is each value that differs from the one before.
struct LifeSigns {
  bool waits_for_peers = false;       // other ranks of its gang have not begun
  std::uint64_t moves = 0;            // how often it has told of another step, or percentage, than before
  std::optional<std::int64_t> step;   // the last that it told
  bool stated = false;                // the trainer has told of one to the agent itself
  std::uint64_t printed = 0;          // bytes
  std::optional<Checkpoint> newest;   // complete
  std::optional<std::string> saving;  // a newer one that is not, or not known to be, whole yet
  std::int64_t saving_bytes = 0;
  // Numbers of the last look at the volume that has begun, and of the last that has ended; 0: none are counted. They
  // are no sign of life.
  std::uint64_t look_begun = 0, look_ended = 0;
  bool operator==(const LifeSigns&) const = default;
};

struct Hang {
  std::chrono::milliseconds silent{};
  std::optional<std::int64_t> step;  // the last that is known, told or saved
  bool operator==(const Hang&) const = default;
};

// Longest time for which a look that is under way holds up the judgement.
inline constexpr std::chrono::minutes kLongestLook{15};

class HangWatch {
 public:
  struct Options {
    std::chrono::milliseconds timeout{};
    std::chrono::milliseconds save_period{};  // zero: not known
    bool leads = true;                        // looks after the volume
  };
  // `started`: when the trainer did.
  HangWatch(Options options, runtime::Instant started) : options_(options), looked_(started) {}

  // To be called often. Between two calls no more than a quarter of the timeout counts: where they lie further apart
  // the machine stood still, and the trainer with it.
  [[nodiscard]] std::optional<Hang> look(const LifeSigns& signs, runtime::Instant now);

 private:
  [[nodiscard]] bool goes_on(const LifeSigns& signs) const;
  [[nodiscard]] std::chrono::milliseconds patience(const LifeSigns& signs) const;
  [[nodiscard]] bool may_be_seen_yet(const LifeSigns& signs);

  Options options_;
  runtime::Instant looked_;
  std::chrono::milliseconds silent_{0};
  std::optional<std::uint64_t> awaited_;  // the look that began when the time was up
  LifeSigns last_;
};

// "no newer step and no newer checkpoint for 600 s; the last step was 120"
[[nodiscard]] std::string describe(const Hang& hang);

}  // namespace reprise::agent
