// `reprise estimate` and `reprise trace-from-events`: read files, replay, print.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::apps {

// Exit codes: 0; 1 when a file cannot be read or holds something wrong; 2 for bad arguments.
// `progress`: draw a bar on `err` while it takes long (a terminal).
[[nodiscard]] int run_estimate(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
                               bool progress);
[[nodiscard]] int run_trace_from_events(const std::vector<std::string>& arguments, std::ostream& out,
                                        std::ostream& err);

}  // namespace reprise::apps
