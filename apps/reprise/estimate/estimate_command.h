// `reprise estimate` and `reprise trace-from-events`: read files, replay, print.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::apps {

struct EstimateWorld {
  std::filesystem::path programs = {};  // the folder of this program; its traces are found from there
  bool progress = false;                // draw a bar on `err` while it takes long (a terminal)
};

// Exit codes: 0; 1 when a file cannot be read or holds something wrong; 2 for bad arguments. The estimate goes to
// `out`; assumed values go to `err`.
[[nodiscard]] int run_estimate(const std::vector<std::string>& arguments, const EstimateWorld& world, std::ostream& out,
                               std::ostream& err);
[[nodiscard]] int run_trace_from_events(const std::vector<std::string>& arguments, std::ostream& out,
                                        std::ostream& err);

}  // namespace reprise::apps
