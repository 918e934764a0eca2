// The value of a rehearsal's work: how much of each attempt was kept, and what it would have cost on demand.
#pragma once

#include <optional>

#include "rehearsal/outcome/build_report.h"

namespace reprise::rehearsal {

// The end of the training of an attempt that counts: when the checkpoint was complete from which the next one went on;
// for the last attempt, when it ended. Later work was trained again, or was no training: the trainer waited to be
// killed.
[[nodiscard]] runtime::Duration kept_until(const ReportedRun& run, const ReportedJob& job, std::size_t attempt);

// Steps lost by an interruption; empty: not known.
[[nodiscard]] std::optional<std::int64_t> steps_lost(const InterruptionFacts& seen);
// The training that had to be done again; 0 when it is known that no step was lost.
[[nodiscard]] runtime::Duration training_lost(const ReportedRun& run, const ReportedJob& job,
                                              const InterruptionFacts& seen);

// The node that was taken from the job: the first one of the attempt's that was called back before it ended, else that
// of a rank that vanished; nullptr: none, since it stopped for another reason.
[[nodiscard]] const RentedNode* node_taken(const ReportedRun& run, const ReportedJob& job, const AttemptFacts& attempt);

// Empty when there is nothing to compare. On demand: each node that a job ran on, at its own price, for the time in
// which training that was kept was done on it, once however many ranks and jobs shared it.
[[nodiscard]] std::optional<ReportCost> cost_of(const ReportedRun& run);

}  // namespace reprise::rehearsal
