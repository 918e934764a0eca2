// Whether a trainer took up the checkpoint that it was given.
#pragma once

#include <cstddef>
#include <optional>

#include "simulator/rehearsal/verdict/facts.h"

namespace reprise::simulator {

enum class Resumption {
  NothingGiven,
  NotShown,     // it told nothing that would differ between a resume and a new start
  Shown,        // it went on behind the step it was given
  StartedOver,  // it began anew
};

// The step of an earlier checkpoint than the one it was given that it wrote. Not counted: one of step 0, which a
// correct script may write before it loads; one that is older than the attempt, which was moved to another name.
[[nodiscard]] std::optional<std::int64_t> wrote_earlier(const AttemptFacts& attempt);

// StartedOver: it wrote such an earlier checkpoint; or it printed steps that count evenly from the
// start and its checkpoints bear the numbers that it printed. A number by itself says nothing: trainers print steps of
// an epoch, or of their configuration, too; and the checkpoint it was given may be written again, as by who saves on a
// notice before its first step, or names checkpoints by epochs.
//
// Shown: the first step it printed is not an earlier one; or its checkpoints are further on than a start from zero
// could be, by the steps that it printed or by the pace between checkpoints.
[[nodiscard]] Resumption resumption_of(const JobFacts& job, std::size_t attempt);

}  // namespace reprise::simulator
