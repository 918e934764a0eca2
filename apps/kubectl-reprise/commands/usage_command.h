// kubectl reprise usage
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command usage_command();

}  // namespace reprise::plugin
