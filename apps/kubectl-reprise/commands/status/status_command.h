// kubectl reprise status
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command status_command();

}  // namespace reprise::plugin
