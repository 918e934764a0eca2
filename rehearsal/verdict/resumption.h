// Tells whether a trainer took up the checkpoint that it was given.
#pragma once

#include <cstddef>
#include <optional>

#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal {

enum class Resumption {
  NothingGiven,
  NotShown,     // printed nothing that would differ between a resume and another start
  Shown,        // went on behind the step it was given
  WentBack,     // went on from an earlier step
  StartedOver,  // began anew
};

// The step of a checkpoint that the attempt wrote and that is earlier than the one it was given. Not counted: one of
// step 0, which a correct script may write before it loads; one that is older than the attempt, which was moved to
// another name.
[[nodiscard]] std::optional<std::int64_t> wrote_earlier(const AttemptFacts& attempt);

// StartedOver: it wrote such an earlier checkpoint; or it printed steps that count evenly from the start and its
// checkpoints bear the numbers that it printed. WentBack: the same with steps that count from a later number, which is
// earlier than the one it was given. A number by itself says nothing: trainers print steps of an epoch, or of their
// configuration, too; and the checkpoint it was given may be written again, as by a trainer that saves on a notice
// before its first step, or names checkpoints by epochs.
//
// Shown: the steps it printed begin where only the step it was given leads to; or its checkpoints are further on than
// it could have come from the next lower checkpoint, by the steps that it printed or by the pace between checkpoints.
[[nodiscard]] Resumption resumption_of(const JobFacts& job, std::size_t attempt);

// The step from which an attempt really went on, as far as is known: the step it was given, unless it is seen to have
// begun elsewhere; 0: from the start.
[[nodiscard]] std::int64_t began_at(const JobFacts& job, std::size_t attempt);

// True when a job's checkpoints are not named by the steps that it prints: it prints epochs, or steps of each start
// alone. False when nothing tells.
[[nodiscard]] bool prints_other_numbers(const JobFacts& job);

}  // namespace reprise::rehearsal
