// kubectl reprise checkpoints
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command checkpoints_command();

}  // namespace reprise::plugin
