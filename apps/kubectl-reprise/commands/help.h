// The texts of --help, from the table of commands.
#pragma once

#include <string>

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] std::string overview_text();
[[nodiscard]] std::string help_text(const Command& command);

// Parts for the other texts that are made from the table.
[[nodiscard]] std::string synopsis(const Command& command);  // "kubectl reprise status [NAME...] [flags]"
[[nodiscard]] std::string flag_text(const Flag& flag);       // "-n, --namespace NAME"

}  // namespace reprise::plugin
