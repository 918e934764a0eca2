// The agents of a gang agree on the step at which all processes of the training save: pure, time is handed in.
//   each rank says on the volume that it was told, and how far its trainer is; rank 0, which leads, names its question,
//     and the others repeat it: words about another one are of a former notice, or of a former pod
//   the leader proposes a step that none has done: it shows it to its own processes first, and takes another where one
//     of them has passed it meanwhile
//   the others show it to theirs, and accept where none has passed it; a process that reaches it waits for the
//   agreement when all have accepted, the leader says so, and all let their processes save there; where one has
//   refused, the
//     leader proposes a later one
// A process says its step before it reads the notice, and an agent writes the notice before it reads the step: one of
// the two sees the other, so that no process passes an accepted step unseen. Whoever has not accepted in time saves as
// without an agreement, which can then come no more.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/save_step/notice_reader.h"
#include "agent/core/save_step/save_word.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// What the notice file says of the step.
struct SaveStep {
  std::int64_t step = 0;
  bool agreed = false;  // else whoever reaches it waits
  bool operator==(const SaveStep&) const = default;
};

class SaveAgreement {
 public:
  struct Options {
    std::int32_t index = 0;  // 0 leads
    std::string question{};  // the leader's, which no other notice of no other pod has
    runtime::Instant until{};
  };
  explicit SaveAgreement(Options options) : options_(std::move(options)) {}

  struct Seen {
    NoticeReader own{};                             // read after the notice was written that the last plan asked for
    std::vector<std::optional<SaveWord>> others{};  // of the other ranks; nothing: none can be read
    std::optional<SaveWord> leader{};               // of rank 0, for the others
  };
  enum class End { None, Agreed, Alone };  // Alone: without an agreement
  // Shown, then said; an agreement is said first.
  struct Plan {
    std::optional<SaveStep> show{};
    std::optional<SaveWord> say{};
    End end = End::None;
    bool operator==(const Plan&) const = default;
  };
  // To be called again at once where something was shown and nothing said, else after a moment, until it has ended.
  [[nodiscard]] Plan next(runtime::Instant now, const Seen& seen);

 private:
  [[nodiscard]] Plan lead(runtime::Instant now, const Seen& seen);
  [[nodiscard]] Plan follow(runtime::Instant now, const Seen& seen);
  [[nodiscard]] Plan propose(const Seen& seen);
  [[nodiscard]] Plan give_up();
  [[nodiscard]] SaveWord word(SaveWord::Kind kind, const Seen& seen) const;
  [[nodiscard]] bool all_know_question(const Seen& seen) const;
  [[nodiscard]] bool all_accept(const Seen& seen) const;
  [[nodiscard]] bool is_passed(const NoticeReader& own) const { return own.step + own.ahead() >= save_at_; }

  Options options_;
  enum class Phase { Waiting, Shown, Said, Ended };
  Phase phase_ = Phase::Waiting;
  bool accepted_ = false;
  std::string question_;  // that this is about; empty: none was seen yet
  std::int32_t round_ = 0;
  std::int64_t save_at_ = 0;
  std::int64_t lead_ = 1;  // steps
};

}  // namespace reprise::agent
