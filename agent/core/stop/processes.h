// The processes below the agent as values: pure.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
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
  std::string name{};         // name of the program, at most 15 characters; for a script that its #! line started, the
                              // script's
  std::string
      program{};  // the first word of its command line without its directory: there the interpreter's; may be empty
  std::uint64_t command = 0;        // the same for equal command lines, so of a fork and its parent; 0: not known
  bool multiprocessing = false;     // Python's multiprocessing has started it in another way than by a fork
  std::uint64_t started = 0;        // clock ticks since the boot: with `pid` it is nobody else
  std::chrono::milliseconds cpu{};  // time that it has computed, its threads included, its children left out
  std::optional<double> burn{};     // the share of one core that it computes now (witness.h)
  bool operator==(const Process&) const = default;
};

// True if a mask of a Process has the signal.
[[nodiscard]] bool has_signal(std::uint64_t mask, int signal);

// True by the program, so also for a script that its #! line has started.
[[nodiscard]] bool is_shell(const Process& process);

// True if a process catches signals that no script and no trainer asks for: a runtime that installs handlers for every
// signal, as Go's does, and bash's for a trap on EXIT. Its handlers say nothing about what becomes of it when the
// signal comes.
[[nodiscard]] bool catches_everything(const Process& process);

// Null where it is not among them.
[[nodiscard]] const Process* find_process(pid_t pid, const std::vector<Process>& processes);

// Another process than a shell, of those below the agent, has started it.
[[nodiscard]] bool has_launcher(pid_t pid, const std::vector<Process>& processes);

// Direct children of `parent`, whatever they became.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent, const std::vector<Process>& processes);

}  // namespace reprise::agent
