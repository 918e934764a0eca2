// kubectl reprise interrupt
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command interrupt_command();

}  // namespace reprise::plugin
