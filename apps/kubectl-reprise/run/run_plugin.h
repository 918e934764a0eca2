// The whole plugin, behind its seam to the world.
#pragma once

#include <string>
#include <vector>

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

// `arguments`: without the program's name.
[[nodiscard]] ExitCode run_plugin(const std::vector<std::string>& arguments, World& world);
[[nodiscard]] ExitCode exit_code_of(runtime::ErrorClass error);

}  // namespace reprise::plugin
