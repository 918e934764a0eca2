// kubectl reprise report
#pragma once

#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

[[nodiscard]] Command report_command();

}  // namespace reprise::plugin
