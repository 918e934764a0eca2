// The trainer as the agent's child.
//
// Process group and terminal: the trainer leads a process group of its own, so that SIGTERM and SIGKILL reach all of it
// and never the agent. When the agent was in the foreground of a terminal (kubectl attach -it, a shell), the trainer's
// group takes that place: it can read from the terminal, and Ctrl-C goes to it alone. The agent takes the place back
// when the trainer has ended. Without a terminal nothing of this happens.
// Standard streams, working directory and signal mask are those the agent was started with. The kernel kills the
// trainer when the agent dies: a trainer that nobody watches could write beside its successor.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

class TrainerProcess {
 public:
  // `resume_from` becomes $REPRISE_RESUME_FROM; empty: the variable is absent. A command that is not there gives
  // NotFound, one that cannot be executed Forbidden.
  [[nodiscard]] static runtime::Result<TrainerProcess> start(const std::vector<std::string>& command,
                                                             const std::string& resume_from, const sigset_t& mask);

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const;        // to the trainer itself
  void send_group(int signal) const;  // to all of its process group

  // Reaps every child that has ended (orphans too). Call on SIGCHLD.
  void reap();
  // As a shell has it: the exit code, or 128 + the signal. Nothing while the trainer runs.
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }
  // No process is left in the trainer's group. What has left the group was never asked to end and is not waited for.
  [[nodiscard]] bool group_gone() const;
  // Kills whatever is left below the agent, again and again until nothing is; whether that was so in time.
  // `pause` waits a moment.
  [[nodiscard]] bool kill_all(const runtime::Clock& clock, std::chrono::milliseconds patience,
                              const std::function<void(std::chrono::milliseconds)>& pause);
  void give_terminal_back() const;

 private:
  TrainerProcess(pid_t pid, bool has_terminal) : pid_(pid), has_terminal_(has_terminal) {}

  pid_t pid_;
  bool has_terminal_;
  bool all_gone_ = false;
  std::optional<int> exit_code_;
};

// Orphans below the agent become its children, also when it is not PID 1.
void adopt_orphans();

}  // namespace reprise::agent
