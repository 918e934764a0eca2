// What each interruption of a job did to its work.
#pragma once

#include <optional>
#include <vector>

#include "simulator/rehearsal/verdict/facts.h"

namespace reprise::simulator {

struct InterruptionFacts {
  std::size_t attempt = 0;  // index into JobFacts::attempts: the one that was interrupted
  Duration at{0};           // SIGTERM; without a notice: the end of the first rank
  bool noticed = true;
  std::optional<Duration> save_took = {};       // until the new checkpoint was complete; nothing: there was none
  std::int64_t step_at_notice = 0;              // the furthest that is known of: printed, or a checkpoint
  std::int64_t step_reached = 0;                // the same, at the end
  std::optional<std::int64_t> step_saved = {};  // newest complete checkpoint at the end
  std::vector<std::int64_t> torn = {};          // incomplete checkpoints it left
  // Of the next attempt; nothing: there was none within the run.
  std::optional<Duration> resumed_after = {};
  std::optional<std::int64_t> step_resumed = {};  // from which it really went on; 0: from the start

  [[nodiscard]] std::int64_t steps_lost() const;
};

[[nodiscard]] std::vector<InterruptionFacts> interruptions_of(const JobFacts& job);

// Whether the trainer did not take up what it was given: it printed an earlier step, or wrote an earlier checkpoint.
[[nodiscard]] bool started_over(const AttemptFacts& attempt);

}  // namespace reprise::simulator
