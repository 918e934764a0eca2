// Finds processes that carry a mark in their environment: all that a rehearsal has started, however they have hidden.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace reprise::rehearsal {

// "NAME=value", exactly. Zombies have no environment and are not counted; neither are processes of other people. A
// process shows no environment while it executes another program: it is looked at until it does, for a second at most.
[[nodiscard]] std::vector<pid_t> marked_processes(std::string_view mark);

}  // namespace reprise::rehearsal
