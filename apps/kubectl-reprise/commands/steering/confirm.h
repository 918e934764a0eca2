// "Go on? [y/N]", for commands that end or claim something.
#pragma once

#include <string>

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

// Shows `consequence`, then asks. True with --yes, and when a person says yes. Without --yes, and with nobody to ask,
// the answer is no.
[[nodiscard]] bool confirmed(Session& session, const std::string& consequence);

}  // namespace reprise::plugin
