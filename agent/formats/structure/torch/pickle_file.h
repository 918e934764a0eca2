// Files of pickles, as Python's pickle.dump writes them, one behind the other.
#pragma once

#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// True for the protocols 2 to 5: older ones have no mark at their begin.
[[nodiscard]] bool begins_as_pickle(std::string_view head);

// Checks a file that begins so. Corrupt when it ends before a pickle does; bytes behind the last pickle pass.
[[nodiscard]] Flawed check_pickles(const CheckedFile& file);

}  // namespace reprise::agent
