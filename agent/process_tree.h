// The processes below the agent, as /proc shows them, and which of them to ask by signal.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
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

// Told of each process while /proc is read: of one that starts meanwhile too, if its number is yet to come.
void each_process(const std::function<void(pid_t)>& tell);

// Whether a mask of a Process has the signal.
[[nodiscard]] bool has_signal(std::uint64_t mask, int signal);

// Whether there is such a process and it has not ended.
[[nodiscard]] bool is_running(pid_t pid);

// Everything below `ancestor`. A /proc that is missing or shows another PID namespace gives nothing.
[[nodiscard]] std::vector<Process> processes_below(pid_t ancestor);

// Pure: the topmost processes below `ancestor` that handle the signal. Below such a process nobody is asked: its
// children inherited the handler with the fork (a data loader's workers would all save), and their parent knows best.
// Nobody who does not handle the signal is ever asked: it would kill them.
[[nodiscard]] std::vector<pid_t> handlers_of(int signal, pid_t ancestor, const std::vector<Process>& processes);

// Has all of them that are stopped go on: nobody else will, and they cannot save, or end, as they are.
void wake_stopped(const std::vector<Process>& processes);

// Direct children of `parent`, whatever they became.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent, const std::vector<Process>& processes);

}  // namespace reprise::agent
