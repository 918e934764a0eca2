// What speaks against an end with 0: what a trainer printed last, and what it had still to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rehearsal/verdict/facts.h"
#include "rehearsal/verdict/interruptions.h"

namespace reprise::rehearsal {

// The line by which a program told that it failed, and printed no step after it; empty: there is none.
[[nodiscard]] std::string error_in(const std::vector<std::string>& last_lines);

// Of the newest attempt: a rank that ended with 0 and an error in its last lines; nullptr: none did.
[[nodiscard]] const RankFacts* ended_in_error(const JobFacts& job);
// One that ended with 0 far from the last step, by what it printed itself ("step 150 of 200").
[[nodiscard]] const RankFacts* ended_short(const JobFacts& job);
// All that came behind the first interruption ended soon and without a step: the checkpoint that it was given was the
// last one.
[[nodiscard]] bool nothing_was_left(const JobFacts& job, const std::vector<InterruptionFacts>& interruptions);

// Two checkpoints that one process cannot have saved: the later bears a lower step.
struct SecondLife {
  std::int64_t first = 0, second = 0;  // steps
};
// After the notice of that interruption; only of jobs of one rank whose checkpoints are else numbered upwards.
[[nodiscard]] std::optional<SecondLife> second_life(const JobFacts& job, const InterruptionFacts& interruption);

}  // namespace reprise::rehearsal
