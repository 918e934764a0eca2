// The effect of each interruption on a job's work.
#pragma once

#include <optional>
#include <vector>

#include "rehearsal/verdict/facts.h"
#include "rehearsal/verdict/resumption.h"

namespace reprise::rehearsal {

struct InterruptionFacts {
  std::size_t attempt = 0;  // index into JobFacts::attempts: the one that was interrupted
  runtime::Duration at{0};  // SIGTERM; without a notice: the end of the first rank
  bool noticed = true;
  std::optional<runtime::Duration> save_took = {};  // until the new checkpoint was complete; empty: there was none
  std::int64_t step_given = 0;                      // the step from which the interrupted attempt was to go on
  std::int64_t step_at_notice = 0;                  // the furthest known: printed, or a checkpoint
  std::int64_t step_reached = 0;                    // the same, at the end
  std::optional<std::int64_t> step_saved = {};      // newest complete checkpoint at the end
  std::vector<std::int64_t> torn = {};              // incomplete checkpoints it left
  // Its answer to the notice: an incomplete checkpoint further on than every complete one. A periodic save that was
  // complete before, even within the notice, is no answer then.
  std::optional<std::int64_t> torn_answer = {};
  bool steps_known = true;    // the trainer saved after the notice, or printed the steps that its checkpoints are named
                              // by
  bool nothing_lost = false;  // no sign of more work than it had saved
  // For the next attempt; empty: there was none within the run.
  std::optional<runtime::Duration> resumed_after = {};
  std::optional<std::int64_t> step_resumed = {};  // the step it was given, or where it really began; 0: from the start
  Resumption resumption = Resumption::NothingGiven;

  [[nodiscard]] std::int64_t steps_lost() const;
};

[[nodiscard]] std::vector<InterruptionFacts> interruptions_of(const JobFacts& job);
// All ranks ended with 0, and nothing was left to do for any later attempt.
[[nodiscard]] bool was_the_end(const JobFacts& job, const InterruptionFacts& interruption);

}  // namespace reprise::rehearsal
