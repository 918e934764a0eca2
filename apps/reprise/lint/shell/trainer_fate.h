// Finds what a shell script does when its trainer fails or is to stop: goes through the script as a shell would, with a
// trainer that fails and everything else going well.
#pragma once

#include <optional>
#include <string>

#include "apps/reprise/lint/shell/starter.h"

namespace reprise::apps::lint::shell {

struct TrainerFate {
  std::string trainer = {};   // "python train.py": the command taken for the trainer; empty: none is
  bool loses_code = false;    // the trainer fails, and the script ends with 0, or never
  bool starts_again = false;  // the trainer fails, or is stopped, and the script starts it once more
  bool is_replaced = false;   // by exec: the trainer is the shell's own process
  bool handles_term = false;  // the script traps SIGTERM with a command
  bool ignores_term = false;  // the script traps SIGTERM with no command
  bool traps_exit = false;    // with a command
};

// Reads a call whose script stands in its words. Empty: the script holds something that is not understood here.
[[nodiscard]] std::optional<TrainerFate> fate_of_trainer(const ShellCall& call);

}  // namespace reprise::apps::lint::shell
