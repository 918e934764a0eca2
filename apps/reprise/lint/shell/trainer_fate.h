// What a shell script makes of a trainer that fails or is to stop: found by going through the script as a shell would,
// with a trainer that fails and everything else going well.
#pragma once

#include <optional>
#include <string>

#include "apps/reprise/lint/shell/starter.h"

namespace reprise::apps::lint::shell {

struct TrainerFate {
  std::string trainer = {};   // "python train.py": the command that is taken for it; empty: none is
  bool loses_code = false;    // it fails, and the script ends with 0, or never
  bool starts_again = false;  // it fails, or is stopped, and the script starts it once more
  bool is_replaced = false;   // by exec: the trainer is the shell's own process
  bool handles_term = false;  // it traps SIGTERM with a command
  bool ignores_term = false;  // it traps it with none
  bool traps_exit = false;    // with a command
};

// Of a call whose script stands in its words. Nothing: the script says something beyond what is understood here.
[[nodiscard]] std::optional<TrainerFate> fate_of_trainer(const ShellCall& call);

}  // namespace reprise::apps::lint::shell
