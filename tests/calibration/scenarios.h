// The scenarios that `record` plays on the real control plane, played in the embedded cluster.
#pragma once

#include <string>
#include <vector>

#include "tests/calibration/milestones.h"

namespace reprise::calibration {

// The names of the files *.recorded.
[[nodiscard]] std::vector<std::string> scenarios();
[[nodiscard]] std::vector<Milestone> recorded(const std::string& scenario);
// Plays the scenario; a failure of the test names the state that was never reached.
[[nodiscard]] std::vector<Milestone> simulated(const std::string& scenario);

}  // namespace reprise::calibration
