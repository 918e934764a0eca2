// Which of a script's commands train.
#pragma once

#include <vector>

#include "apps/reprise/lint/shell/script.h"

namespace reprise::apps::lint::shell {

// Those whose words say so; where none do, all that are no helpers of a shell's. In order.
[[nodiscard]] std::vector<const Command*> trainers_in(const List& script);

}  // namespace reprise::apps::lint::shell
