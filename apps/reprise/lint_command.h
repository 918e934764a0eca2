// `reprise lint`: reads manifests, reports what is wrong with them, and mends them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::apps {

// Exit codes: 0 when there is no error (with --strict: no warning either), 1 when there is one, 2 for bad arguments and
// files that cannot be read or written. Findings go to `out`; with --diff the patch does, and the findings to `err`.
[[nodiscard]] int run_lint(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out,
                           std::ostream& err);

}  // namespace reprise::apps
