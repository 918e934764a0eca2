// kubectl reprise confirm-ended
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command confirm_ended_command();

}  // namespace reprise::plugin
