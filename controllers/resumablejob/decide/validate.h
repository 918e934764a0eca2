// Finds whatever in the job, or between the job and its pool, keeps an attempt from starting. The API server has
// already checked what a schema can say; these checks need the pool, the namespace or the claim, or are about fields
// that this version does not act on. Each problem names the field, what was found and what is allowed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

struct Problem {
  std::string reason;    // CamelCase, for the condition
  std::string message;   // starts with the field
  bool passing = false;  // goes away by itself: waited for, not called stalled
};

[[nodiscard]] std::optional<Problem> find_problem(const Observation& seen);
// The first one of each kind, for people who mend a job before they apply it.
[[nodiscard]] std::vector<Problem> find_problems(const Observation& seen);

}  // namespace reprise::controllers::resumablejob
