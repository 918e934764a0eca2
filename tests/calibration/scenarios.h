// What `record` does on the real control plane, done in the embedded cluster.
#pragma once

#include <string>
#include <vector>

#include "tests/calibration/milestones.h"

namespace reprise::calibration {

// The names of the files *.recorded.
[[nodiscard]] std::vector<std::string> scenarios();
[[nodiscard]] std::vector<Milestone> recorded(const std::string& scenario);
// Plays it; failures of the test say what never became so.
[[nodiscard]] std::vector<Milestone> simulated(const std::string& scenario);

}  // namespace reprise::calibration
