// The processes below the agent as values, and which of them to ask by signal. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::agent {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::uint64_t caught = 0;   // SigCgt of /proc/<pid>/status: bit n-1 is signal n
  std::uint64_t ignored = 0;  // SigIgn
  std::uint64_t blocked = 0;  // SigBlk, of its first thread
  bool ended = false;         // and not reaped yet: the masks mean nothing
  bool stopped = false;       // by SIGSTOP or a terminal: it sees no signal before it is continued
  std::string name{};         // of the program, at most 15 characters
  bool operator==(const Process&) const = default;
};

// Whether a mask of a Process has the signal.
[[nodiscard]] bool has_signal(std::uint64_t mask, int signal);

// The topmost processes below `ancestor` that handle the signal. Below such a process nobody is signalled: its children
// inherited the handler with the fork (a data loader's workers would all save), and their parent knows best. Nobody who
// does not handle the signal ever gets it: it would kill them.
[[nodiscard]] std::vector<pid_t> handlers_of(int signal, pid_t ancestor, const std::vector<Process>& processes);

// Direct children of `parent`, whatever they became.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent, const std::vector<Process>& processes);

}  // namespace reprise::agent
