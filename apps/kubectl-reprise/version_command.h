// kubectl reprise version
#pragma once

#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

[[nodiscard]] Command version_command();

}  // namespace reprise::plugin
