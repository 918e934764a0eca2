// The state of a job, by its status.
#pragma once

#include <string>

#include "rehearsal/verdict/facts.h"
#include "simulator/base/json.h"

namespace reprise::rehearsal {

struct JobState {
  JobFacts::Outcome outcome = JobFacts::Outcome::Running;
  std::string message;  // why; for a job that is on its way: the cause of its wait
  std::string word;     // "Running", "Interrupted", "Complete": for people
};

// True when the trainers of the newest attempt that is over were given its newest checkpoint, ended well and had done
// nothing more: it may have been that of the last step.
[[nodiscard]] bool had_nothing_left(const JobFacts& seen);
// A job without a new step that is Stalled is over when `stalled_long`; some reasons are final at once. So are attempts
// in vain, where something was left to do: the operator does not call a job stalled that is interrupted within seconds.
[[nodiscard]] JobState state_of(const simulator::Value& job, const JobFacts& seen, bool stalled_long);
// Stalled, for any reason.
[[nodiscard]] bool is_stalled(const simulator::Value& job);

}  // namespace reprise::rehearsal
