// "Go on? [y/N]", for commands that end or claim something.
#pragma once

#include <string>

#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

// `consequence` is shown, then asked about. True with --yes, and when a person says yes. Where nobody can be asked
// nothing is done without --yes.
[[nodiscard]] bool confirmed(Session& session, const std::string& consequence);

}  // namespace reprise::plugin
