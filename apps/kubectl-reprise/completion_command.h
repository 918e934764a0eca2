// kubectl reprise completion
#pragma once

#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

[[nodiscard]] Command completion_command();

}  // namespace reprise::plugin
