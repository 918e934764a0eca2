// How it stands with a job, as its conditions say.
#pragma once

#include <string>

#include "rehearsal/verdict/facts.h"
#include "simulator/base/json.h"

namespace reprise::rehearsal {

struct JobState {
  JobFacts::Outcome outcome = JobFacts::Outcome::Running;
  std::string message;  // why; of a job that is on its way: what it waits for
  std::string word;     // "Running", "Interrupted", "Complete": for people
};

// A job without a new step that is Stalled is over when `stalled_long`; some reasons are final at once.
[[nodiscard]] JobState state_of(const simulator::Value& job, bool stalled_long);
// Stalled, whatever for.
[[nodiscard]] bool is_stalled(const simulator::Value& job);

}  // namespace reprise::rehearsal
