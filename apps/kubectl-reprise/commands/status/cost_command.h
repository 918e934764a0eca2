// kubectl reprise cost
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command cost_command();

}  // namespace reprise::plugin
