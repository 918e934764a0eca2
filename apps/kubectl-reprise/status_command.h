// kubectl reprise status
#pragma once

#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

[[nodiscard]] Command status_command();

}  // namespace reprise::plugin
