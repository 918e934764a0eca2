// kubectl reprise logs
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command logs_command();

}  // namespace reprise::plugin
