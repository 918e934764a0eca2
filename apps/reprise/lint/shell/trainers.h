// Which of a script's commands train.
#pragma once

#include <vector>

#include "apps/reprise/lint/shell/script.h"

namespace reprise::apps::lint::shell {

// Their words, as they are written, in order. Those that say so; where none does, those that are a program for an
// interpreter; where there is none, all that are no helpers of a shell's.
[[nodiscard]] std::vector<Words> trainers_in(const List& script);

}  // namespace reprise::apps::lint::shell
