// The end state of a scenario, without differences between two right scenarios: numbers of attempts, their machines,
// their times. A disturbed scenario must end as the undisturbed one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

// One line per object of the jobs' namespace and per pool, in order; leaves out the jobs of these names.
[[nodiscard]] std::vector<std::string> end_state(const ApiServer& api, const std::set<std::string>& without = {});
// Lines of one that the other lacks: "- line" is missing, "+ line" is too much.
[[nodiscard]] std::vector<std::string> difference(const std::vector<std::string>& wanted,
                                                  const std::vector<std::string>& found);

}  // namespace reprise::simulator
