// The exit codes of the plugin; the manual page and docs/kubectl-reprise.md print this table.
#pragma once

#include <array>
#include <string_view>

namespace reprise::plugin {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kNotFound = 3,
  kNotAllowed = 4,
  kNotYet = 5,
  kDeclined = 6,
  kBlocked = 7,
};

struct ExitCodeMeaning {
  ExitCode code;
  std::string_view meaning;
};
inline constexpr std::array kExitCodes = {
    ExitCodeMeaning{kDone, "done"},
    ExitCodeMeaning{kFailed, "an error; the message says which"},
    ExitCodeMeaning{kUsage, "wrong arguments"},
    ExitCodeMeaning{kNotFound, "a named object does not exist, or the cluster does not know Reprise's kinds"},
    ExitCodeMeaning{kNotAllowed, "the API server does not allow it, or does not know who asks"},
    ExitCodeMeaning{kNotYet, "what was waited for did not come in time; the cluster goes on with it"},
    ExitCodeMeaning{kDeclined, "nothing was done: not confirmed, or there was nothing to do it to"},
    ExitCodeMeaning{kBlocked, "of `why`: something blocks until somebody acts"},
};

}  // namespace reprise::plugin
