// Evidence against an end with 0: the trainer's last output, and the work that was left.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rehearsal/verdict/facts.h"
#include "rehearsal/verdict/interruptions.h"

namespace reprise::rehearsal {

// The line by which a program told that it failed, if it printed no step after it; empty: there is none.
[[nodiscard]] std::string error_in(const std::vector<std::string>& last_lines);

// A rank of the newest attempt that ended with 0 and an error in its last lines; nullptr: none did.
[[nodiscard]] const RankFacts* ended_in_error(const JobFacts& job);
// A rank that ended with 0 far from the last step, by its own output ("step 150 of 200").
[[nodiscard]] const RankFacts* ended_short(const JobFacts& job);
// True when every attempt behind the first interruption ended soon and without a step: the checkpoint that it was given
// was the last one.
[[nodiscard]] bool nothing_was_left(const JobFacts& job, const std::vector<InterruptionFacts>& interruptions);

// Two checkpoints that one process cannot have saved: the later bears a lower step.
struct SecondLife {
  std::int64_t first = 0, second = 0;  // steps
};
// Looks after the notice of that interruption; only for jobs of one rank whose checkpoints are otherwise numbered
// upwards.
[[nodiscard]] std::optional<SecondLife> second_life(const JobFacts& job, const InterruptionFacts& interruption);

}  // namespace reprise::rehearsal
