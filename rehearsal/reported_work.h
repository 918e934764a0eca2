// What the work of a rehearsal was worth: how much of each attempt was kept, and what it would have cost on demand.
#pragma once

#include <optional>

#include "rehearsal/build_report.h"

namespace reprise::rehearsal {

// Until when the training of an attempt counts: until the checkpoint was complete from which the next one went on; of
// the last one, until it ended. What came later was trained again, or was no training: it waited to be killed.
[[nodiscard]] runtime::Duration kept_until(const ReportedRun& run, const ReportedJob& job, std::size_t attempt);

// What an interruption cost in steps; nothing: it is not known.
[[nodiscard]] std::optional<std::int64_t> steps_lost(const InterruptionFacts& seen);
// What had to be trained again; 0 where it is known that no step was lost.
[[nodiscard]] runtime::Duration training_lost(const ReportedRun& run, const ReportedJob& job,
                                              const InterruptionFacts& seen);

// The node that was taken from the job: the first one of the attempt's that was called back before it ended, else
// that of a rank that vanished; nullptr: none, it stopped for another reason.
[[nodiscard]] const RentedNode* node_taken(const ReportedRun& run, const ReportedJob& job, const AttemptFacts& attempt);

// Nothing: there is nothing to compare. On demand: each node that a job ran on, at its own price, for the time in
// which training that was kept was done on it, once however many ranks and jobs shared it.
[[nodiscard]] std::optional<ReportCost> cost_of(const ReportedRun& run);

}  // namespace reprise::rehearsal
