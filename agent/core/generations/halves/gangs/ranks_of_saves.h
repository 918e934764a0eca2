// Which ranks' parts a save lacks by the size of the gang that made it. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/core/generations/halves/gangs/saves_by_share.h"

namespace reprise::agent {

// For people, of the first save with that share; nothing: it may be all.
[[nodiscard]] std::optional<std::string> ranks_lacking_of_first(const Save& save, const std::string& share);

// The same of a gang that is larger than the one of the last save.
[[nodiscard]] std::optional<std::string> ranks_lacking_of_larger(const Save& save, const std::string& share,
                                                                 const Save& last);

// Of the state files of a gang that was smaller what there are too few of now, with as many as are due.
[[nodiscard]] StateKinds files_lacking_of_larger(const StateKinds& now, GangSize gang, const StateKinds& before,
                                                 GangSize gang_before);

// Whether a share has all files of its own ranks, though the gang before had more of those `lacking`.
[[nodiscard]] bool has_files_of_smaller_gang(const Save& save, const std::string& share, const StateKinds& lacking,
                                             GangSize gang_before);

// Whether `lacking`, which `last` has beside `share`, is a rank's that has to be there again: the gang is known to be
// no smaller, or its own ranks have not all saved.
[[nodiscard]] bool are_ranks_lacking(const Save& save, const Save& last, const std::string& share,
                                     const std::string& lacking);

}  // namespace reprise::agent
