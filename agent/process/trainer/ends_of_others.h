// Ends of processes below the agent that are not its children.
//
// Hidden: the agent traces a process (ptrace(2), PTRACE_SEIZE: nothing of it stops), and the kernel tells its parent of
// its end when the tracer has taken note of it, no earlier. So a launcher goes on as if the rank ran: its store
// answers, it reads the pipes of the others. A tracer has every signal of the process pass through its hands; that is
// so from the moment the ends are hidden to the process's end, the seconds of a stop. When the agent dies, the kernel
// tells the parents. Followed: by a pidfd, which keeps the exit code of a process that its parent has reaped
// (Linux 6.15).
//
// One thread's: the kernel knows the thread that traces.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "agent/volume/file_descriptor.h"

namespace reprise::agent {

class EndsOfOthers {
 public:
  // False: the kernel, the container's profile, another user or a debugger forbids it, and nothing is hidden of that
  // one.
  bool hide(pid_t pid);
  // From now on each end is shown, those that were hidden at once.
  void show();
  // Passes on what the traced processes were sent and takes note of who has ended. Call on SIGCHLD.
  void look();
  // A wait for any child would take it from its parent's eyes.
  [[nodiscard]] bool is_traced(pid_t pid) const { return traced_.contains(pid); }

  // Follows these, and no others any more.
  void follow(const std::vector<pid_t>& pids);
  // Notes that a followed process, whose parent has ended, was reaped.
  void note(pid_t pid, int exit_code);
  // As a shell has it. Empty: it runs, or nobody can know.
  [[nodiscard]] std::optional<int> exit_code(pid_t pid) const;

 private:
  // True if there is no more to come of it.
  bool look(pid_t pid);

  std::set<pid_t> traced_;
  bool shown_ = false;
  std::map<pid_t, int> codes_;
  std::map<pid_t, FileDescriptor> followed_;
};

}  // namespace reprise::agent
