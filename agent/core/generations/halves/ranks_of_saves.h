// Which ranks' parts a save lacks by the size of the gang that made it. Pure.
#pragma once

#include <optional>
#include <string>

#include "agent/core/generations/halves/saves_by_share.h"

namespace reprise::agent {

// For people, of the first save with that share; nothing: it may be all.
[[nodiscard]] std::optional<std::string> ranks_lacking_of_first(const Save& save, const std::string& share);

// The same of a gang that is larger than the one of the last save.
[[nodiscard]] std::optional<std::string> ranks_lacking_of_larger(const Save& save, const std::string& share,
                                                                 const Save& last);

// Whether `lacking`, which `last` has beside `share`, is a rank's that has to be there again: the gang is known to be
// no smaller, or its own ranks have not all saved.
[[nodiscard]] bool are_ranks_lacking(const Save& save, const Save& last, const std::string& share,
                                     const std::string& lacking);

}  // namespace reprise::agent
