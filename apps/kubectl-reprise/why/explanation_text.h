// An explanation for people and for programs.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "apps/kubectl-reprise/why/explanation.h"

namespace reprise::plugin::why {

// The chain with a mark before each step, then the finding and its remedy. Colours when `coloured`.
[[nodiscard]] std::string explanation_text(const Explanation& explanation, bool coloured);
// {"subject", "summary", "blocked", "cause", "object", "found", "toDo", "chain"}; without a finding those in the middle
// are absent. Names of causes and marks are stable.
[[nodiscard]] boost::json::value explanation_json(const Explanation& explanation);

}  // namespace reprise::plugin::why
