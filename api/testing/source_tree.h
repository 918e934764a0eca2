// The path of the source tree that this was built from, for tests that read its files.
#pragma once

#include <string>

namespace reprise::api::testing {

// The path has no slash at its end.
[[nodiscard]] std::string source_tree();

}  // namespace reprise::api::testing
