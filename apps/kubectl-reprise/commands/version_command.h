// kubectl reprise version
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command version_command();

}  // namespace reprise::plugin
