// kubectl reprise top
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command top_command();

}  // namespace reprise::plugin
