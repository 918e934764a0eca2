// Finds the ranks whose parts a save lacks, by the size of the gang that made it. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/core/generations/halves/gangs/saves_by_share.h"

namespace reprise::agent {

// Text for people, of the first save with that share; empty: it may be all.
[[nodiscard]] std::optional<std::string> ranks_lacking_of_first(const Save& save, const std::string& share);

// The same of a gang that is larger than the one of the last save.
[[nodiscard]] std::optional<std::string> ranks_lacking_of_larger(const Save& save, const std::string& share,
                                                                 const Save& last);

// The kinds of state files of a smaller gang of which there are too few now, with as many as are due.
[[nodiscard]] StateKinds files_lacking_of_larger(const StateKinds& now, GangSize gang, const StateKinds& before,
                                                 GangSize gang_before);

// True if a share has all files of its own ranks, though the gang before had more of those `lacking`.
[[nodiscard]] bool has_files_of_smaller_gang(const Save& save, const std::string& share, const StateKinds& lacking,
                                             GangSize gang_before);

// True if `lacking`, which `last` has beside `share`, is a rank's that has to be there again: the gang is known to be
// no smaller, or its own ranks have not all saved.
[[nodiscard]] bool are_ranks_lacking(const Save& save, const Save& last, const std::string& share,
                                     const std::string& lacking);

}  // namespace reprise::agent
