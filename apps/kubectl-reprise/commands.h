// The table of commands, and the flags that all have in common.
#pragma once

#include <string_view>
#include <vector>

#include "apps/kubectl-reprise/command.h"

namespace reprise::plugin {

[[nodiscard]] const std::vector<Command>& commands();
// kubectl's own: where the cluster is and who asks.
[[nodiscard]] const std::vector<Flag>& global_flags();
// nullptr: none of that name.
[[nodiscard]] const Command* find_command(std::string_view name);

// Flags that several commands share.
[[nodiscard]] Flag all_namespaces_flag();
[[nodiscard]] Flag yes_flag();
[[nodiscard]] Flag output_flag();

}  // namespace reprise::plugin
