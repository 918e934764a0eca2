// The table of commands, and the flags that all have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kubectl-reprise/commands/command.h"

namespace reprise::plugin {

[[nodiscard]] const std::vector<Command>& commands();
// kubectl's own flags: the cluster and the user.
[[nodiscard]] const std::vector<Flag>& global_flags();
// nullptr: no command has that name.
[[nodiscard]] const Command* find_command(std::string_view name);

// Flags that several commands share.
[[nodiscard]] Flag all_namespaces_flag();
[[nodiscard]] Flag yes_flag();
[[nodiscard]] Flag output_flag();
// A DURATION as apps/common/duration_text.h reads it, `shortest` at least; `allowed` says so ("a duration such as 2s").
[[nodiscard]] Flag duration_flag(std::string name, std::string help, std::string allowed,
                                 runtime::Duration shortest = runtime::Duration{0});
// The value of a duration_flag; empty when it is not given.
[[nodiscard]] std::optional<runtime::Duration> duration_of(const Arguments& arguments, std::string_view flag);

}  // namespace reprise::plugin
