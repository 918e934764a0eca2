// kubectl reprise why
#pragma once

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] Command why_command();

}  // namespace reprise::plugin
