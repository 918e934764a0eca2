// kubectl reprise report
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command report_command();

}  // namespace reprise::plugin
