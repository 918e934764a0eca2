// `reprise simulate`: scenarios from seeds.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::apps {

// Exit codes: 0 every invariant held; 1 an invariant was broken, or a replay differed; 2 for bad arguments.
[[nodiscard]] int run_simulate(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace reprise::apps
