// Finds the commands of a script that train.
#pragma once

#include <vector>

#include "apps/reprise/lint/shell/script.h"

namespace reprise::apps::lint::shell {

// Their words, as they are written, in order: commands that are trainers by name; if there are none, programs for an
// interpreter; if there are none of these, all commands that are not the shell's helpers.
[[nodiscard]] std::vector<Words> trainers_in(const List& script);

}  // namespace reprise::apps::lint::shell
