#include "apps/kubectl-reprise/commands/version_command.h"

#include <ostream>

#include "version.h"

namespace reprise::plugin {

Command version_command() {
  return {.name = "version",
          .summary = "print the version",
          .description = "Prints the version of the plugin, and asks no cluster.",
          .connects = false,
          .run = [](Session& session) -> runtime::Result<ExitCode> {
            session.world.out << "kubectl-reprise " << apps::kVersion << "\n";
            return kDone;
          }};
}

}  // namespace reprise::plugin
