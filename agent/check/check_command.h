// `reprise-agent check DIR [--format F] [--output table|json] [--verify structure|full]`.
#pragma once

#include <string>
#include <vector>

namespace reprise::agent {

// Prints what there is, the newest step first. 0 when at least one checkpoint is complete, 3 when none is, 2 on
// arguments that cannot be meant, 1 when the directory cannot be read.
[[nodiscard]] int check(const std::vector<std::string>& arguments);

}  // namespace reprise::agent
