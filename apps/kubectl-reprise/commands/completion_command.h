// kubectl reprise completion
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command completion_command();

}  // namespace reprise::plugin
