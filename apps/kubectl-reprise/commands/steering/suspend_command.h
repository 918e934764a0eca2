// kubectl reprise suspend and resume
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command suspend_command();
[[nodiscard]] Command resume_command();

}  // namespace reprise::plugin
