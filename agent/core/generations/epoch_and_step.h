// Names with two numbers of which each may be the step ("checkpoint_3_1200.pt"): one of them does not say it, all that
// a job has made together may. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/formats/name_numbers.h"

namespace reprise::agent {

// Tells the step of those of `names` for which it is shown. The second number is the step where it rises from save to
// save, always by more than one and by more than the first one, which may stay the same, as an epoch does: ranks are
// counted one by one, and there again in each save. The first one is where the second one never changes and is lower.
// Three saves show it.
[[nodiscard]] std::map<std::string, SaveName> told_by_all(const std::vector<std::string>& names);

}  // namespace reprise::agent
